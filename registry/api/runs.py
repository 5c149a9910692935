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
from registry.api.pagination import KeysetPagination
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
from registry.runs import queries, services, transcripts
from registry.runs.models import Rollout, Run

Sees = requires(GET="run.see")


@extend_schema(
    operation_id="listRuns",
    tags=["Runs"],
    summary="List the runs of an environment",
    description="Of all versions that you may see, newest first.",
    responses=RunSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="environment.see")])
def of_environment(request: Request, owner: str, name: str) -> Response:
    """The runs of the versions that the actor may see, newest first."""
    environment = lookup.environment(request, owner, name)
    visible = environment.versions.visible_to(*get_actor(request))
    paginator = KeysetPagination("-created_at", "pk")
    rows = paginator.paginate_queryset(RUNS.filter(version__in=visible), request)
    results = RunSerializer(run_models.summaries(rows), many=True).data
    return paginator.get_paginated_response(results)


@extend_schema(
    operation_id="getRun",
    tags=["Runs"],
    summary="Show a run",
    description="With facts, findings and the scores so far.",
    responses=RunDetailSerializer,
)
@api_view(["GET"])
@permission_classes([Sees])
def run(request: Request, pk: UUID) -> Response:
    """One run with its facts, findings and scores so far."""
    return _detail(lookup.run(request, pk))


@extend_schema(
    operation_id="readLog",
    tags=["Runs"],
    summary="Read the log",
    description="To follow it, repeat the request with `after` from `next` until `ended`.",
    parameters=[LogQuery],
    responses=LogPieceSerializer,
)
@api_view(["GET"])
@permission_classes([Sees])
def log(request: Request, pk: UUID) -> Response:
    """The log after an opaque position; to be read on from `next` until `ended`."""
    row = lookup.run(request, pk)
    piece = queries.log_after(run=row, position=validated_query(LogQuery, request)["after"])
    return Response(LogPieceSerializer(piece).data)


@extend_schema(
    operation_id="listRollouts",
    tags=["Runs"],
    summary="List rollouts",
    description="Finished ones in the order they came.",
    parameters=[RolloutQuery],
    responses=RolloutSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([Sees])
def rollouts(request: Request, pk: UUID) -> Response:
    """Finished rollouts in the order they came, all or those that the query string selects."""
    paginator = KeysetPagination("pk")
    rows = paginator.paginate_queryset(_selected(request, lookup.run(request, pk)), request)
    results = RolloutSerializer(rollout_models.summaries(rows), many=True).data
    return paginator.get_paginated_response(results)


@extend_schema(
    operation_id="listSamples",
    tags=["Runs"],
    summary="Read rollouts as rows to train on",
    description="With the columns of verifiers' `results.jsonl`; `hub rollouts export` writes "
    "them.",
    parameters=[RolloutQuery],
    responses=SampleSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([Sees])
def samples(request: Request, pk: UUID) -> Response:
    """The same as rows to train on, each with its conversation."""
    row = lookup.run(request, pk)
    paginator = KeysetPagination("pk")
    rows = paginator.paginate_queryset(_selected(request, row).select_related("pack"), request)
    page = sample_models.samples(row, rows)
    if len(page) < len(rows):
        paginator.end_after(rows[len(page) - 1])
    return paginator.get_paginated_response(SampleSerializer(page, many=True).data)


@extend_schema(
    operation_id="getRollout",
    tags=["Runs"],
    summary="Show a rollout",
    description="With its transcript, as the gateway recorded it.",
    responses=RolloutDetailSerializer,
)
@api_view(["GET"])
@permission_classes([Sees])
def rollout(request: Request, pk: UUID, number: int) -> Response:
    """One rollout with its conversation."""
    rows = lookup.run(request, pk).rollouts.select_related("pack")
    row = rows.filter(pk=number).first()
    if row is None:
        raise NotFound
    detail = rollout_models.detail(row, transcripts.read(row))
    return Response(RolloutDetailSerializer(detail).data)


@extend_schema(
    operation_id="cancelRun",
    tags=["Runs"],
    summary="Cancel a run",
    description="The answer has its status by now; a runner may take some seconds to stop.",
    request=None,
    responses={200: RunDetailSerializer, **refusals(409)},
)
@api_view(["POST"])
@permission_classes([requires(POST="run.cancel")])
def cancel(request: Request, pk: UUID) -> Response:
    """Request the run to stop; the answer has its status by now."""
    services.cancel(run=lookup.run(request, pk), by=person(request))
    return _detail(lookup.run(request, pk, "run.see"))


@extend_schema(
    operation_id="retryRun",
    tags=["Runs"],
    summary="Retry a run",
    description="Queues another run of a held version, whose newest run was cancelled or had no "
    "result; else 409. 429 as for retrying the version.",
    request=None,
    responses={201: RunDetailSerializer, **refusals(409, 429)},
)
@api_view(["POST"])
@permission_classes([requires(POST="run.retry")])
@throttle_classes([rate_scope("retry", per_person=True)])
def retry(request: Request, pk: UUID) -> Response:
    """Queue another run in the place of one without a result, and answer with it."""
    row = pipeline.retry_run(run=lookup.run(request, pk), by=person(request))
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
