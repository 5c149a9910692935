"""Suites of an environment, and evaluations of a version that people request."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import lookup
from registry.api.auth import person
from registry.api.pagination import page
from registry.api.permissions import requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers import evaluations as serializers
from registry.api.serializers.base import validated, validated_query
from registry.api.serializers.runs import RunDetailSerializer, RunSerializer
from registry.api.throttles import rate_scope
from registry.lookup import RUNS
from registry.read_models import runs as run_models
from registry.read_models import suites as suite_models
from registry.runs import evaluations, suites
from registry.runs.models import Run

TAG = ["Evaluations"]


@extend_schema(
    methods=["GET"],
    operation_id="listSuites",
    tags=TAG,
    summary="List the suites",
    description="What each freezes; `smoke` and `full` are the hub's, the others the owners'.",
    parameters=[serializers.SuitesQuery],
    responses=serializers.SuitesSerializer,
)
@extend_schema(
    methods=["POST"],
    operation_id="createSuite",
    tags=TAG,
    summary="Define a suite",
    description="It never changes: another definition needs another name. Judge, limits and rules "
    "version are those that the hub has now.",
    request=serializers.NewSuiteSerializer,
    responses={201: serializers.SuiteSerializer, **refusals(409)},
)
@api_view(["GET", "POST"])
@permission_classes([requires(GET="environment.see", POST="environment.deprecate")])
@throttle_classes([rate_scope("provision", per_person=True, method="POST")])
def of_environment(request: Request, owner: str, name: str) -> Response:
    """GET: what each freezes. POST: define one."""
    environment = lookup.environment(request, owner, name)
    if request.method == "GET":
        number = validated_query(serializers.SuitesQuery, request)["version"]
        version = None
        if number:
            version = lookup.version(request, owner, name, number, "version.see")
        rows = suite_models.of_version(environment, version)
        return Response(serializers.SuitesSerializer({"results": rows}).data)
    fields = validated(serializers.NewSuiteSerializer, request)
    row = suites.create(environment=environment, by=person(request), **fields)
    return Response(serializers.SuiteSerializer(suite_models.summary(row)).data, 201)


@extend_schema(
    methods=["GET"],
    operation_id="listVersionEvaluations",
    tags=TAG,
    summary="List the evaluations of a version",
    description="Runs that somebody requested, newest first.",
    responses=RunSerializer(many=True),
)
@extend_schema(
    methods=["POST"],
    operation_id="requestEvaluation",
    tags=TAG,
    summary="Evaluate a model",
    description="Queues a run of the model by the suite, in the person's own share of the queue; "
    "returns the active one of the same model and suite where there is one. 409 unless the "
    "version is listed, 429 for a person with too many active evaluations.",
    request=serializers.NewEvaluationSerializer,
    responses={201: RunDetailSerializer, **refusals(409, 429)},
)
@api_view(["GET", "POST"])
@permission_classes([requires(GET="version.see", POST="version.evaluate")])
@throttle_classes([rate_scope("evaluation", per_person=True, method="POST")])
def of_version(request: Request, owner: str, name: str, number: str) -> Response:
    """GET: those requested, newest first. POST: request one."""
    version = lookup.version(request, owner, name, number)
    if request.method == "GET":
        rows = RUNS.filter(version=version, purpose=Run.Purpose.EVALUATION)
        by = ("-created_at", "pk")
        return page(request, rows, RunSerializer, by=by, read=run_models.summaries)
    fields = validated(serializers.NewEvaluationSerializer, request)
    suite = suites.named(version.environment, fields["suite"])
    row = evaluations.request(
        version=version, model=fields["model"], suite=suite, by=person(request)
    )
    row = lookup.run(request, row.pk, "run.see")
    return Response(RunDetailSerializer(run_models.detail(row)).data, 201)
