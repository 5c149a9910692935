"""The page of a rollout: its conversations, reward and neighbours."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import median
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from envyard.contract.replay import agree
from envyard.contract.transcript import Transcript
from frontend.access import run_or_404
from frontend.pages import rollout_filters
from frontend.render.transcript import SHOWN, conversations
from registry.read_models import rollouts, runs
from registry.runs import transcripts
from registry.runs.models import Rollout, Run


@require_safe
def rollout(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """The conversations and the reward of one rollout, with links to its neighbours among those
    that the address selects."""
    run = run_or_404(request, pk)
    row = get_object_or_404(run.rollouts.select_related("pack"), pk=number)
    transcript = transcripts.read(row) or Transcript()
    return render(
        request,
        "pages/rollout.html",
        {
            "run": runs.summary(run),
            "rollout": rollouts.summary(row),
            **_transcript_context(transcript),
            "differs": row.rescored is not None and not agree(row.reward, row.rescored),
            "raw": reverse("api-rollout", args=[pk, number]),
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
    previous: str
    following: str


def neighbours(request: HttpRequest, run: Run, row: Rollout) -> Neighbours:
    """The neighbours in the selected order; a rollout outside the selection leads to its first."""
    chosen = rollout_filters.of_request(request.GET, run)
    keys = list(chosen.rows.values_list("pk", flat=True))
    query = chosen.query
    if row.pk not in keys:
        return Neighbours(0, len(keys), query, "", _address(run, keys[0], query) if keys else "")
    at = keys.index(row.pk)
    return Neighbours(
        place=at + 1,
        count=len(keys),
        query=query,
        previous=_address(run, keys[at - 1], query) if at else "",
        following=_address(run, keys[at + 1], query) if at + 1 < len(keys) else "",
    )


def _address(run: Run, number: int, query: str) -> str:
    return reverse("rollout", args=[run.pk, number]) + (f"?{query}" if query else "")


def _transcript_context(transcript: Transcript) -> dict[str, Any]:
    """The context of the page from a transcript."""
    tools = [tool for definitions in transcript.tools for tool in definitions]
    first = [call.first_seconds for call in transcript.calls if call.first_seconds is not None]
    return {
        "conversations": list(conversations(transcript)),
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
