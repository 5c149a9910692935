"""Runs: list, show, follow the log, read rollouts, cancel."""

from __future__ import annotations

from uuid import UUID

from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import lookup, shapes
from registry.api.auth import asker, person
from registry.api.paging import page, whole
from registry.errors import NotFound
from registry.runs import queries, services

LARGEST = (1 << 63) - 1


@api_view(["GET"])
def of_environment(request: Request, owner: str, name: str) -> Response:
    """The runs of the versions that the asker may see, newest first."""
    found = lookup.environment(request, owner, name, "environment.see")
    visible = found.versions.visible_to(*asker(request))
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
    """Finished rollouts in the order they came, of one policy or of all."""
    found = lookup.run(request, pk, "run.see").rollouts.defer("messages")
    if policy := request.query_params.get("policy", ""):
        found = found.filter(policy=policy)
    return page(request, found, by=("pk",), shape=shapes.rollout_summaries)


@api_view(["GET"])
def rollout(request: Request, pk: UUID, number: int) -> Response:
    """One rollout with its conversation."""
    found = lookup.run(request, pk, "run.see").rollouts.filter(pk=number).first()
    if found is None:
        raise NotFound
    return Response(shapes.rollout_detail(found))


@api_view(["POST"])
def cancel(request: Request, pk: UUID) -> Response:
    """Ask the run to stop; the answer shows what it is by now."""
    found = lookup.run(request, pk, "run.cancel")
    services.cancel(run=found, by=person(request))
    return Response(shapes.run_detail(lookup.run(request, pk, "run.see")))
