"""The page of a rollout: its conversations, reward and neighbours."""

from __future__ import annotations

import json
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
from frontend.render.transcript import SHOWN, conversations
from registry.read_models import rollouts, runs
from registry.runs import transcripts


@require_safe
def rollout(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """The conversations and the reward of one rollout, with links to its neighbours."""
    run = run_or_404(request, pk)
    row = get_object_or_404(run.rollouts.select_related("pack"), pk=number)
    transcript = transcripts.read(row) or Transcript()
    before = run.rollouts.filter(pk__lt=number).order_by("-pk").values_list("pk", flat=True)
    after = run.rollouts.filter(pk__gt=number).order_by("pk").values_list("pk", flat=True)
    address = {
        key: reverse("rollout", args=[pk, neighbour]) if neighbour else ""
        for key, neighbour in (("previous", before.first()), ("following", after.first()))
    }
    return render(
        request,
        "pages/rollout.html",
        {
            "run": runs.summary(run),
            "rollout": rollouts.summary(row),
            **_transcript_context(transcript),
            "differs": row.rescored is not None and not agree(row.reward, row.rescored),
            "raw": reverse("api-rollout", args=[pk, number]),
            **address,
        },
    )


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
