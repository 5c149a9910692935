"""The runners as staff see them: alive or away, with their runs, drained or not."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts import runners
from registry.api.auth import person
from registry.api.permissions import requires
from registry.api.serializers.runs import RunnerListSerializer, RunnerSerializer
from registry.errors import NotFound
from registry.runs.queries import runners_with_runs


@extend_schema(operation_id="listRunners", tags=["Runners"], responses=RunnerListSerializer)
@api_view(["GET"])
@permission_classes([requires(GET="hub.moderate")])
def every(request: Request) -> Response:
    """List the runners. For staff; by name."""
    return Response(RunnerListSerializer({"results": runners_with_runs()}).data)


@extend_schema(
    methods=["POST"],
    operation_id="drainRunner",
    tags=["Runners"],
    summary="Drain a runner",
    description="For staff: it finishes what it has and is given no new run.",
    request=None,
    responses={200: RunnerSerializer},
)
@extend_schema(
    methods=["DELETE"],
    operation_id="resumeRunner",
    tags=["Runners"],
    summary="Give a runner runs again",
    description="For staff.",
    responses={200: RunnerSerializer},
)
@api_view(["POST", "DELETE"])
@permission_classes([requires(POST="hub.moderate", DELETE="hub.moderate")])
def drain(request: Request, pk: int) -> Response:
    """Staff. POST: give it no new run. DELETE: give it runs again."""
    runner = runners_with_runs().filter(pk=pk).first()
    if runner is None:
        raise NotFound("there is no such runner")
    act = runners.drain if request.method == "POST" else runners.resume
    act(runner=runner, by=person(request))
    return Response(RunnerSerializer(runner).data)
