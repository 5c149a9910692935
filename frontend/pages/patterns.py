"""Every part of the pages in each of its states, rendered from the templates that pages use."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from frontend.pages import environment_patterns, run_patterns
from frontend.render.transcript import Call, Turn
from frontend.templatetags.hub import TONES
from registry.card.summary import CardSummary
from registry.read_models.activity import Activity
from registry.read_models.compared_sides import PairedBar
from registry.read_models.environments import EnvironmentSummary, Latest
from registry.read_models.under_way import ExecutedRun
from registry.read_models.versions import Deprecation
from registry.runs.queue import Position

AT = datetime(2026, 1, 15, 9, 30, tzinfo=UTC)
BARS = [9, 4, 2, 1, 0, 0, 3, 5, 8, 12]
SCORE = {
    "policy": "model",
    "mean": 0.5,
    "low": 0.34,
    "high": 0.62,
    "n": 40,
    "ok": 40,
    "failed": 0,
    "method": "bounded mean, clustered by task",
}
SCORES = [
    {**SCORE, "policy": "silent", "mean": 0.0, "low": 0.0, "high": 0.09},
    {**SCORE, "policy": "oracle", "mean": 1.0, "low": 0.91, "high": 1.0},
    SCORE,
    {**SCORE, "policy": "babble", "mean": None, "low": None, "high": None, "ok": 0, "failed": 40},
]
FINDINGS = [
    {
        "code": code,
        "severity": severity,
        "message": "A probe that knows no answer earned 0.8.",
        "hint": "Make the verifier compare with the `reference`.",
        "where": "task 3",
        "details": {},
    }
    for code, severity in (("card.floor", "error"), ("card.speed", "warning"), ("x.y", "info"))
]
STEPS = [
    {"step": "checking", "state": "done", "at": AT},
    {"step": "evaluating", "state": "active", "at": None},
    {"step": "listed", "state": "", "at": None},
]
STOPPED = [STEPS[0], {"step": "evaluating", "state": "failed", "at": AT}, STEPS[2]]
TURNS = [
    Turn(1, "system", "Answer in one word."),
    Turn(2, "user", "What is the capital of France?"),
    Turn(
        3,
        "assistant",
        "",
        calls=[Call("search", '{"q": "France"}', result=Turn(4, "tool", "Paris", name="search"))],
        reasoning="I look it up.",
    ),
    Turn(5, "assistant", "Paris"),
]
QUEUED = {
    "run": {"id": UUID(int=0), "model": "org/model-8b", "not_before": None},
    "position": Position(before=2, waiting=7, runners=1, oldest_at=AT, under_way=1),
    "executed": [
        ExecutedRun(UUID(int=1), "lab/evaluated", "1.2.0", "running", 12, 40, AT, "#queue")
    ],
    "may_cancel": True,
    "pace": 10,
}


@require_safe
def patterns(request: HttpRequest) -> HttpResponse:
    """The parts; none of their values is stored anywhere."""
    context: dict[str, Any] = {
        "tones": TONES,
        "notes": ("", "good", "warn", "bad"),
        "environments": rows(),
        "scores": SCORES,
        "score": SCORE,
        "findings": FINDINGS,
        "steps": STEPS,
        "stopped": STOPPED,
        "turns": TURNS,
        "names": ("alice", "bob", "carol", "lab", "root", "verifiers-team", "zoe", "a"),
        "activity": [Activity("alice", "published", "lab/evaluated==1.2.0", "#avatars", "", AT)],
        **QUEUED,
        **run_patterns.CONTEXT,
        **environment_patterns.CONTEXT,
        "tabs": [
            {"label": label, "url": "#tabs", "on": label == "README"}
            for label in ("Card", "README", "Versions", "Runs", "Files")
        ],
        "bars": [
            {"low": n / 10, "high": (n + 1) / 10, "count": count} for n, count in enumerate(BARS)
        ],
        "paired": [
            PairedBar(n / 10, (n + 1) / 10, one, two)
            for n, (one, two) in enumerate(zip(BARS, reversed(BARS), strict=True))
        ],
        "tasks": [
            {"task": task, "solved": task % 5, "n": 4, "mean": task % 5 / 4} for task in range(20)
        ],
        "colours": ("text", "muted", "accent", "data", "busy", "good", "bad", "warn"),
    }
    return render(request, "pages/patterns.html", context)


def rows() -> list[EnvironmentSummary]:
    """A row of each kind: with a model, with probes alone, without a card, unlisted."""
    card = CardSummary(
        passed=14,
        warned=1,
        unknown=2,
        floor=0.0,
        ceiling=1.0,
        seconds=0.24,
        model="org/model-8b",
        reward_low=0.0,
        reward_high=1.0,
        reward_bars=BARS,
    )
    evaluated = EnvironmentSummary(
        owner="lab",
        name="evaluated",
        ref="lab/evaluated",
        summary="A card with a model.",
        tags=["math"],
        framework="verifiers",
        api="v1",
        visibility="public",
        quarantined=False,
        deprecated=None,
        stars=12,
        installs=340,
        latest=Latest("1.2.0", AT),
        card=card.to_dict(),
        score=SCORE,
        learnability=0.62,
        difficulty="medium",
        created_at=AT,
        updated_at=AT,
        url="#rows",
        api_url="#rows",
    )
    probed = replace(card, model="", reward_low=None, reward_high=None, reward_bars=[])
    nothing = replace(evaluated, stars=0, installs=0, score=None, learnability=None)
    return [
        evaluated,
        replace(nothing, ref="lab/probed", summary="Probes alone.", card=probed.to_dict()),
        replace(nothing, ref="lab/new", summary="No card.", card=None),
        replace(
            nothing,
            ref="lab/draft",
            summary="Private, unlisted and deprecated.",
            card=None,
            latest=None,
            visibility="private",
            deprecated=Deprecation(AT, "old", None),
        ),
    ]
