"""Runs: list, show, follow the log, read rollouts, cancel, retry."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry import pipeline
from registry.api import lookup
from registry.api.auth import get_actor, person
from registry.api.pagination import KeysetPagination, page
from registry.api.permissions import requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers.base import validated_query
from registry.api.serializers.runs import (
    LogPieceSerializer,
    LogQuery,
    RolloutDetailSerializer,
    RolloutQuery,
    RolloutSerializer,
    RunDetailSerializer,
    RunSerializer,
    SampleSerializer,
)
from registry.api.throttles import rate_scope
from registry.errors import NotFound
from registry.lookup import RUNS
from registry.read_models import rollouts as rollout_models
from registry.read_models import runs as run_models
from registry.read_models import samples as sample_models
from registry.runs import evaluations, queries, services, transcripts
from registry.runs.models import Rollout, Run

Sees = requires(GET="run.see")


@extend_schema(operation_id="listRuns", tags=["Runs"], responses=RunSerializer(many=True))
@api_view(["GET"])
@permission_classes([requires(GET="environment.see")])
def of_environment(request: Request, owner: str, name: str) -> Response:
    """List the runs of an environment. Of all versions that you may see, newest first."""
    environment = lookup.environment(request, owner, name)
    visible = environment.versions.visible_to(*get_actor(request))
    rows = RUNS.filter(version__in=visible)
    by = ("-created_at", "pk")
    return page(request, rows, RunSerializer, by=by, read=run_models.summaries)


@extend_schema(operation_id="getRun", tags=["Runs"], responses=RunDetailSerializer)
@api_view(["GET"])
@permission_classes([Sees])
def run(request: Request, pk: UUID) -> Response:
    """Show a run. With facts, findings and the scores so far."""
    return _detail(lookup.run(request, pk))


@extend_schema(
    operation_id="readLog",
    tags=["Runs"],
    parameters=[LogQuery],
    responses=LogPieceSerializer,
)
@api_view(["GET"])
@permission_classes([Sees])
def log(request: Request, pk: UUID) -> Response:
    """Read the log. To follow it, repeat the request with `after` from `next` until `ended`."""
    row = lookup.run(request, pk)
    piece = queries.log_after(run=row, position=validated_query(LogQuery, request)["after"])
    return Response(LogPieceSerializer(piece).data)


@extend_schema(
    operation_id="listRollouts",
    tags=["Runs"],
    parameters=[RolloutQuery],
    responses=RolloutSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([Sees])
def rollouts(request: Request, pk: UUID) -> Response:
    """List rollouts. Finished ones in the order they came."""
    rows = _selected(request, lookup.run(request, pk))
    return page(request, rows, RolloutSerializer, by=("pk",), read=rollout_models.summaries)


@extend_schema(
    operation_id="listSamples",
    tags=["Runs"],
    parameters=[RolloutQuery],
    responses=SampleSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([Sees])
def samples(request: Request, pk: UUID) -> Response:
    """Read rollouts as rows to train on. With the columns of verifiers' `results.jsonl`; `hub
    rollouts export` writes them."""
    row = lookup.run(request, pk)
    paginator = KeysetPagination("pk")
    rows = paginator.paginate_queryset(_selected(request, row).select_related("pack"), request)
    results = sample_models.samples(row, rows)
    if len(results) < len(rows):
        paginator.end_after(rows[len(results) - 1])
    return paginator.get_paginated_response(SampleSerializer(results, many=True).data)


@extend_schema(operation_id="getRollout", tags=["Runs"], responses=RolloutDetailSerializer)
@api_view(["GET"])
@permission_classes([Sees])
def rollout(request: Request, pk: UUID, number: int) -> Response:
    """Show a rollout. With its transcript, as the gateway recorded it."""
    rows = lookup.run(request, pk).rollouts.select_related("pack")
    row = rows.filter(pk=number).first()
    if row is None:
        raise NotFound
    detail = rollout_models.detail(row, transcripts.read(row))
    return Response(RolloutDetailSerializer(detail).data)


@extend_schema(
    operation_id="cancelRun",
    tags=["Runs"],
    request=None,
    responses={200: RunDetailSerializer, **refusals(409)},
)
@api_view(["POST"])
@permission_classes([requires(POST="run.cancel")])
def cancel(request: Request, pk: UUID) -> Response:
    """Cancel a run. The answer has its status by now; a runner may take some seconds to stop."""
    services.cancel(run=lookup.run(request, pk), by=person(request))
    return _detail(lookup.run(request, pk, "run.see"))


@extend_schema(
    operation_id="retryRun",
    tags=["Runs"],
    request=None,
    responses={201: RunDetailSerializer, **refusals(409, 429)},
)
@api_view(["POST"])
@permission_classes([requires(POST="run.retry")])
@throttle_classes([rate_scope("retry", per_person=True)])
def retry(request: Request, pk: UUID) -> Response:
    """Retry a run. Queues another run of a held version, whose newest run was cancelled or had no
    result, or of an evaluation without a result; else 409. 429 as for the first request."""
    ended = lookup.run(request, pk)
    again = evaluations.repeat if ended.is_evaluation else pipeline.retry_run
    row = again(run=ended, by=person(request))
    return _detail(lookup.run(request, row.pk, "run.see"), 201)


def _selected(request: Request, run: Run) -> QuerySet[Rollout]:
    """The run's rollouts that the query string selects."""
    fields = validated_query(RolloutQuery, request)
    return queries.rollouts(
        run=run,
        policy=fields["policy"],
        task=fields.get("task"),
        ok=fields.get("ok"),
        low=fields.get("min_reward"),
        high=fields.get("max_reward"),
    )


def _detail(run: Run, status: int = 200) -> Response:
    return Response(RunDetailSerializer(run_models.detail(run)).data, status)
