"""The steps of a version to being listed, as the pages and the API show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from registry.catalog.models import Version
from registry.events import Event
from registry.read_models.annotations import Moment, Spec

STEPS = ("uploaded", "checking", "evaluating", "listed")


@dataclass(frozen=True, slots=True)
class PipelineStep:
    """One step to being listed."""

    step: Annotated[str, Spec(enum=list(STEPS))]
    state: Annotated[str, Spec(enum=["done", "active", "failed", "waiting"])]
    at: Moment | None


def pipeline(version: Version) -> list[PipelineStep]:
    """The four steps to being listed, each with its time; the one where the version stopped failed.

    Times come from the journal, of whose entries the last counts where a step was made twice.
    """
    moves = Event.objects.filter(version=version, verb__startswith="version.").order_by("pk")
    moves = moves.only("verb", "at", "data")
    times: dict[str, datetime] = {"uploaded": version.uploaded_at}
    stopped_in = "checking"
    for event in moves:
        times[event.verb.removeprefix("version.")] = event.at
        if event.data.get("before") in ("checking", "evaluating"):
            stopped_in = event.data["before"]
    failed = version.status in (Version.Status.REJECTED, Version.Status.HELD)
    here = STEPS.index(stopped_in if failed else version.status)
    states = ["done" if place < here else "waiting" for place in range(len(STEPS))]
    at_rest = STEPS[here] in ("uploaded", "listed")
    states[here] = "failed" if failed else "done" if at_rest else "active"
    return [
        PipelineStep(step, state, version.status_at if state == "failed" else times.get(step))
        for step, state in zip(STEPS, states, strict=True)
    ]
