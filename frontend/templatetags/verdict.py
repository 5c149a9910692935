"""The evidence on a version in one line. A list has 20, which a template takes too long for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from frontend.render import charts, plain
from frontend.templatetags.hub import ago, amount, num
from registry.card.summary import CardSummary
from registry.read_models.environments import EnvironmentSummary
from registry.read_models.verdicts import Verdict

register = template.Library()
MAX_MODEL = 60  # characters
CHECKS = (
    '<span title="{} pass, {} warn, {} fail, {} unknown"><b>{}/{}</b> checks</span>'
    ' <span title="The highest mean reward of a probe that does not know the answer">floor'
    " <b>{}</b></span>"
    ' <span title="The mean reward of the reference answer">oracle <b>{}</b></span>'
)
SCORE = (
    '<span class="scored" title="Mean reward over {} rollouts; 95 % interval: {}">{} {} <b>{}</b>{}'
    " n={}</span>"
)
LEARNABLE = (
    '<span title="Share of groups of 4 rollouts of one task whose rewards differ">learnable'
    " <b>{}</b></span>"
)
SECONDS = (
    '<span title="95th percentile of a rollout’s seconds apart from the model"><b>{}</b> s a'
    " rollout</span>"
)


@register.simple_tag
def verdict_strip(row: EnvironmentSummary | Verdict) -> SafeString:
    """Checks, floor, oracle, score and learnability of the card, and when the version was listed;
    nothing without both."""
    if not (row.card or row.latest):
        return SafeString()
    return format_html('<p class="verdict small">{}</p>', SafeString(" ".join(_spans(row))))


def _spans(row: EnvironmentSummary | Verdict) -> Iterator[SafeString]:
    if row.card:
        yield _checks(CardSummary(**row.card))
        if row.score:
            yield _score(row.card, row.score)
        if row.learnability is not None:
            yield format_html(LEARNABLE, amount(row.learnability, "share"))
        if row.card["seconds"] is not None:
            yield format_html(SECONDS, num(row.card["seconds"]))
    else:
        yield SafeString("<span>no card yet</span>")
    if row.latest:
        yield format_html(
            "<span>{}, listed {}</span>", row.latest.version, ago(row.latest.listed_at)
        )


def _checks(card: CardSummary) -> SafeString:
    return format_html(
        CHECKS,
        card.passed,
        card.warned,
        card.failed,
        card.unknown,
        card.passed,
        card.measures,
        num(card.floor),
        num(card.ceiling),
    )


def _score(card: Mapping[str, Any], score: Mapping[str, Any]) -> SafeString:
    model = plain.visible(card["model"] or score["policy"])
    interval = f" [{num(score['low'])}, {num(score['high'])}]" if score["low"] is not None else ""
    return format_html(
        SCORE,
        score["n"],
        score["method"],
        charts.reward_bars(card),
        Truncator(model).chars(MAX_MODEL),
        num(score["mean"]),
        interval,
        score["n"],
    )
