"""The rows of a list of rollouts. A page has up to 100, which a template takes too long for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from envyard.contract.job import MODEL
from frontend.render import charts, plain
from frontend.templatetags.hub import clock, num, pill
from frontend.templatetags.policies import policy_name
from registry.read_models.rollouts import RolloutOfRun, RolloutSummary
from registry.read_models.run_overview import Scale
from registry.read_models.runs import RunDetail
from registry.runs.models import Run

register = template.Library()
MAX_MESSAGE = 90  # characters of an error
ROW = (
    '<tr><td class="policy"><a id="rollout-{}" href="{}{}">{} · task {}{}</a></td>{}'
    '<td class="num" data-label="Reward">{}{}</td><td class="wide muted small">{}</td>'
    '<td class="num" data-label="Turns">{}</td><td class="num" data-label="Tokens">{}</td>'
    '<td class="stop muted small" data-label="Stop reason">{}</td>'
    '<td class="num" data-label="Seconds">{}</td></tr>'
)
RUN = '<td class="stop small" data-label="Run"><a href="{}" title="Run of {}">{}</a></td>'


@register.simple_tag
def rollout_rows(
    rows: Sequence[RolloutSummary], scale: Scale, query: str, run: RunDetail | str = ""
) -> SafeString:
    """A row for each rollout, which links to its page with this query string. Those of several
    runs name theirs; those of one run come with it."""
    run_cell = cache(_run)  # few runs have many rollouts
    cells = (_cells(row, scale, query, run, run_cell) for row in rows)
    return format_html_join("\n", ROW, cells)


def _cells(
    row: RolloutSummary,
    scale: Scale,
    query: str,
    of: RunDetail | str,
    run_cell: Callable[[Run], SafeString],
) -> tuple[object, ...]:
    run = row.of_run if isinstance(row, RolloutOfRun) else None
    played = run or (of if isinstance(of, RunDetail) else None)
    several = played is not None and played.attempts != 1 and row.policy == MODEL
    return (
        row.pk,
        row.url,
        f"?{query}" if query else "",
        policy_name(row.policy, played.model if played else ""),
        row.task,
        f" · attempt {row.attempt}" if several else "",
        run_cell(run) if run else "",
        _reward(row, scale),
        _replay(row),
        _parts(row),
        row.turns,
        num(row.usage.completion_tokens),
        plain.visible(row.stop or "–"),
        num(row.seconds),
    )


def _run(run: Run) -> SafeString:
    return format_html(
        RUN,
        reverse("run", args=[run.pk]),
        clock(run.created_at),
        run.suite.name if run.suite else "run",
    )


def _reward(row: RolloutSummary, scale: Scale) -> SafeString:
    if not row.ok:
        return pill("failed")
    shade = charts.shade(row, scale)
    return format_html('<span class="cell {}">{}</span>', shade, num(row.reward))


def _replay(row: RolloutSummary) -> SafeString | str:
    """The reward of the replay, where the rollout was replayed."""
    if not row.replay or row.replay.get("left_out"):
        return ""
    return format_html(
        ' <span class="muted small nowrap" title="Reward of the replay">replay {}</span>',
        "failed" if row.replay.get("error") else num(row.rescored),
    )


def _parts(row: RolloutSummary) -> str:
    """The error, or the parts of the reward."""
    if row.error:
        message = Truncator(plain.visible(str(row.error.get("message", "")))).chars(MAX_MESSAGE)
        return f"{plain.visible(str(row.error.get('type', '')))}: {message}"
    parts = row.rewards.items()
    return ", ".join(f"{plain.visible(name)} {num(part.get('score'))}" for name, part in parts)
