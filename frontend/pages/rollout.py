"""The page of a rollout: its conversations, reward and neighbours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from envyard.contract.judge import JudgeExchange
from envyard.contract.replay import agree
from envyard.contract.transcript import Transcript
from frontend.access import run_or_404
from frontend.pages import rollout_filters
from frontend.pages.environment_head import tabs
from frontend.render import markdown, marks
from frontend.render.transcript import SHOWN, Conversation, conversations, every
from registry.read_models import rollouts, runs
from registry.runs import transcripts
from registry.runs.models import Rollout, Run

MARKDOWN = ("user", "assistant")  # whose text is rendered; results of tools and prompts stay raw
OUTLINE = 300  # messages


@require_safe
def rollout(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """The conversations and the reward of one rollout, with links to its neighbours among those
    that the address selects."""
    run = run_or_404(request, pk)
    row = get_object_or_404(run.rollouts.select_related("pack"), pk=number)
    transcript = transcripts.read(row) or Transcript()
    rows = list(conversations(transcript))
    return render(
        request,
        "pages/rollout.html",
        {
            "run": runs.summary(run),
            "tabs": tabs(request, run.version.environment, on="rollouts"),
            "rollout": rollouts.summary(row),
            **_transcript_context(transcript),
            **_viewer(request, rows, transcript.judge),
            "differs": row.rescored is not None and not agree(row.reward, row.rescored),
            "raw": reverse("api-rollout", args=[pk, number]),
            "conversations": rows,
            "neighbours": neighbours(request, run, row),
        },
    )


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The place of a rollout among those that the address selects, 0 where it is none of them; the
    addresses before and after it, empty at the ends."""

    place: int
    count: int
    query: str
    values: list[tuple[str, Any]]
    previous: str
    following: str


def neighbours(request: HttpRequest, run: Run, row: Rollout) -> Neighbours:
    """The neighbours in the selected order; a rollout outside the selection leads to its first."""
    chosen = rollout_filters.of_request(request.GET, run)
    keys = list(chosen.rows.values_list("pk", flat=True))
    at = keys.index(row.pk) if row.pk in keys else -1
    # A rollout that is not selected has no place: the first of those that are is the next.
    return Neighbours(
        place=at + 1,
        count=len(keys),
        query=chosen.query,
        values=chosen.values,
        previous=_address(run, keys[at - 1], request) if at > 0 else "",
        following=_address(run, keys[at + 1], request) if at + 1 < len(keys) else "",
    )


def _address(run: Run, number: int, request: HttpRequest) -> str:
    query = request.GET.urlencode()
    return reverse("rollout", args=[run.pk, number]) + (f"?{query}" if query else "")


def _viewer(
    request: HttpRequest, rows: list[Conversation], judge: list[JudgeExchange]
) -> dict[str, Any]:
    """The search and the form of the text that the address names, and the outline."""
    turns = [turn for row in rows for turn in every(row.turns)]
    find = request.GET.get("find", "")[: marks.MAX_NEEDLE].strip()
    if wanted := marks.pattern(find):
        for turn in turns:
            turn.found = any(wanted.search(text) for text in turn.texts)
    judged = [
        number
        for number, exchange in enumerate(judge, 1)
        if wanted and any(wanted.search(text) for text in _texts(exchange))
    ]
    is_markdown = request.GET.get("view") == "markdown"
    if is_markdown:
        shown = [turn for turn in turns if turn.kind in MARKDOWN and not turn.found]
        for turn, html in zip(shown, markdown.rendered([t.content for t in shown]), strict=True):
            turn.html = html
    return {
        "find": find,
        "found": [turn for turn in turns if turn.found],
        "judged": judged,
        "is_markdown": is_markdown,
        "outline": list(islice(every(rows[0].turns), OUTLINE)) if rows else [],
        "outline_cut": len(rows[0].turns) > OUTLINE if rows else False,
    }


def _texts(exchange: JudgeExchange) -> Iterator[str]:
    """What a search looks at in a call to the judge."""
    for message in (*exchange.messages, exchange.verdict):
        yield str(message.get("content") or "")


def _transcript_context(transcript: Transcript) -> dict[str, Any]:
    """The context of the page from a transcript."""
    tools = [tool for definitions in transcript.tools for tool in definitions]
    first = [call.first_seconds for call in transcript.calls if call.first_seconds is not None]
    return {
        "hidden": max(len(transcript.ends) - SHOWN, 0),
        "first_token": median(first) if first else None,
        "sampling": transcript.calls[-1].sampling if transcript.calls else {},
        "tools": [{"name": _name(tool), "text": _pretty_json(tool)} for tool in tools],
        "options": [
            {"names": ", ".join(option), "text": _pretty_json(option)}
            for option in transcript.options
        ],
        "judge": [
            {"exchange": call, "options": _pretty_json(call.options) if call.options else ""}
            for call in transcript.judge
        ],
    }


def _pretty_json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _name(tool: dict[str, Any]) -> str:
    function = tool.get("function")
    return str(function.get("name") if isinstance(function, dict) else tool.get("name"))
