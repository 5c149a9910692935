"""Runs: list, show, follow the log, read rollouts, cancel, retry."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry import pipeline
from registry.api import lookup, rollout_shapes, shapes, throttles
from registry.api.auth import get_actor, person
from registry.api.paging import page, real, whole, yes_or_no
from registry.errors import NotFound
from registry.runs import queries, services, transcripts
from registry.runs.models import Rollout, Run

LARGEST = (1 << 63) - 1
MOST_TASKS = (1 << 31) - 1


@api_view(["GET"])
def of_environment(request: Request, owner: str, name: str) -> Response:
    """The runs of the versions that the get_actor may see, newest first."""
    found = lookup.environment(request, owner, name, "environment.see")
    visible = found.versions.visible_to(*get_actor(request))
    runs = lookup.RUNS.filter(version__in=visible)
    return page(request, runs, by=("-created_at", "pk"), shape=shapes.run_summaries)


@api_view(["GET"])
def run(request: Request, pk: UUID) -> Response:
    """One run with its facts, findings and scores so far."""
    return Response(shapes.run_detail(lookup.run(request, pk, "run.see")))


@api_view(["GET"])
def log(request: Request, pk: UUID) -> Response:
    """The log after an opaque position; ask again from `next` until `ended`."""
    found = lookup.run(request, pk, "run.see")
    position = whole(request, "after", 0, low=0, high=LARGEST)
    piece = queries.log_after(run=found, position=position)
    return Response({"text": piece.text, "next": piece.next, "ended": piece.ended})


@api_view(["GET"])
def rollouts(request: Request, pk: UUID) -> Response:
    """Finished rollouts in the order they came, all or those that were asked for."""
    found = lookup.run(request, pk, "run.see")
    return page(request, _asked(request, found), by=("pk",), shape=rollout_shapes.summaries)


@api_view(["GET"])
def samples(request: Request, pk: UUID) -> Response:
    """The same as rows to train on, each with its conversation."""
    found = lookup.run(request, pk, "run.see")
    rows = _asked(request, found).select_related("pack")
    return page(request, rows, by=("pk",), shape=partial(rollout_shapes.samples, found))


@api_view(["GET"])
def rollout(request: Request, pk: UUID, number: int) -> Response:
    """One rollout with its conversation."""
    rows = lookup.run(request, pk, "run.see").rollouts.select_related("pack")
    found = rows.filter(pk=number).first()
    if found is None:
        raise NotFound
    return Response(rollout_shapes.detail(found, transcripts.read(found)))


@api_view(["POST"])
def cancel(request: Request, pk: UUID) -> Response:
    """Ask the run to stop; the answer shows what it is by now."""
    found = lookup.run(request, pk, "run.cancel")
    services.cancel(run=found, by=person(request))
    return Response(shapes.run_detail(lookup.run(request, pk, "run.see")))


@api_view(["POST"])
def retry(request: Request, pk: UUID) -> Response:
    """Queue another run in the place of one without a result, and answer with it."""
    found, user = lookup.run(request, pk, "run.retry"), person(request)
    throttles.check(request, "retry", who=str(user.pk))
    made = pipeline.retry_run(run=found, by=user)
    return Response(shapes.run_detail(lookup.run(request, made.pk, "run.see")), 201)


def _asked(request: Request, run: Run) -> QuerySet[Rollout]:
    """The run's rollouts that the query string asks for."""
    said = request.query_params
    task = whole(request, "task", 0, low=0, high=MOST_TASKS) if said.get("task") else None
    return queries.rollouts(
        run=run,
        policy=said.get("policy", ""),
        task=task,
        ok=yes_or_no(request, "ok"),
        low=real(request, "min_reward"),
        high=real(request, "max_reward"),
    )
