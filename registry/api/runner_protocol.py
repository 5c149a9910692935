"""The runners' protocol: identity, presence, leases, event batches, locks and the final result.

A runner's token (`hubr_`) only leases runs; event batches need the run's own token (`hubrun_`).
"""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.decorators import (
    api_view,
    authentication_classes,
    parser_classes,
    permission_classes,
)
from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.values import plain
from registry.accounts import runners
from registry.accounts.models import Runner
from registry.api.auth import RunAuthentication, RunnerAuthentication
from registry.api.parsers import Json
from registry.api.permissions import SignedIn
from registry.api.schema.auto_schema import refusals
from registry.api.serializers.base import validated
from registry.api.serializers.data_locks import (
    OfferedDataLockSerializer,
    StandingDataLockSerializer,
)
from registry.api.serializers.provisions import AttemptSerializer, SecretValuesSerializer
from registry.api.serializers.runs import (
    CapabilitiesSerializer,
    EventsSerializer,
    FinishSerializer,
    JobSerializer,
    LeaseSerializer,
    LockTextSerializer,
    OfferedLockSerializer,
    PresenceSerializer,
)
from registry.errors import Forbidden, HubError
from registry.runs import runner_events, services
from registry.runs.spec import job_spec


class BatchParser(Json):
    """JSON of a whole batch. NaN is let through: the contract's readers expect it."""

    max_bytes = 32 << 20

    def constant(self, name: str) -> float:
        """The number that Python writes so."""
        return float(name)


class HasRunnerToken(SignedIn):
    """The authentication class has refused all other requests."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """True."""
        return True


@extend_schema(operation_id="runnerWhoami", tags=["Runners"], responses=PresenceSerializer)
@api_view(["GET"])
@authentication_classes([RunnerAuthentication])
@permission_classes([HasRunnerToken])
def whoami(request: Request) -> Response:
    """Name the runner. `hub-runner doctor` checks its token with this."""
    return Response(PresenceSerializer(_runner(request)).data)


@extend_schema(
    operation_id="runnerPresent",
    tags=["Runners"],
    request=CapabilitiesSerializer,
    responses=PresenceSerializer,
)
@api_view(["POST"])
@authentication_classes([RunnerAuthentication])
@permission_classes([HasRunnerToken])
def present(request: Request) -> Response:
    """Report that the runner is alive. And what it can do: `capabilities.models` lists the models
    it has ready."""
    return Response(PresenceSerializer(_described(request)).data)


@extend_schema(
    operation_id="pollForRun",
    tags=["Runners"],
    request=CapabilitiesSerializer,
    responses={200: JobSerializer, 204: OpenApiResponse(None, "No run waits.")},
)
@api_view(["POST"])
@authentication_classes([RunnerAuthentication])
@permission_classes([HasRunnerToken])
def poll(request: Request) -> Response:
    """Lease the next queued run. Of those whose model is in `capabilities.models`, or that need
    none; 204 where none waits for it, and while the runner is drained."""
    runner = _described(request)
    run = services.lease(runner=runner, models=runners.models(runner))
    return Response(status=204) if run is None else Response(JobSerializer(job_spec(run)).data)


@extend_schema(
    operation_id="reportEvents",
    tags=["Runners"],
    request=EventsSerializer,
    responses={200: LeaseSerializer, **refusals(409)},
)
@api_view(["POST"])
@authentication_classes([RunAuthentication])
@permission_classes([HasRunnerToken])
@parser_classes([BatchParser])
def events(request: Request, pk: UUID) -> Response:
    """Send a batch of events. Numbered in each attempt; a number seen before is ignored. Renews the
    lease."""
    _check_attempt(request, pk)
    lease = runner_events.record(run_id=pk, events=validated(EventsSerializer, request))
    return Response(LeaseSerializer(lease).data)


@extend_schema(
    operation_id="agreeOnLock",
    tags=["Runners"],
    request=OfferedLockSerializer,
    responses={200: LockTextSerializer, **refusals(409)},
)
@api_view(["POST"])
@authentication_classes([RunAuthentication])
@permission_classes([HasRunnerToken])
@parser_classes([BatchParser])
def lock(request: Request, pk: UUID) -> Response:
    """Agree on the lock. The first lock that is offered for a version and platform is kept; every
    answer is the kept one."""
    _check_attempt(request, pk)
    fields = validated(OfferedLockSerializer, request)
    text = runner_events.lock(
        run_id=pk,
        attempt=fields["attempt"],
        platform=fields["platform"],
        offered=fields["lock"],
    )
    return Response(LockTextSerializer({"lock": text}).data)


@extend_schema(
    operation_id="agreeOnDataLock",
    tags=["Runners"],
    summary="Agree on the data lock",
    description="The first commit that is offered for a branch stands; files are added until a run "
    "of the version has succeeded. Every answer is the lock that stands.",
    request=OfferedDataLockSerializer,
    responses={200: StandingDataLockSerializer, **refusals(409)},
)
@api_view(["POST"])
@authentication_classes([RunAuthentication])
@permission_classes([HasRunnerToken])
@parser_classes([BatchParser])
def data_lock(request: Request, pk: UUID) -> Response:
    """The version's data lock, with what the body adds unless it is frozen."""
    _check_attempt(request, pk)
    fields = validated(OfferedDataLockSerializer, request)
    standing = runner_events.data_lock(run_id=pk, attempt=fields["attempt"], offered=fields["lock"])
    return Response(StandingDataLockSerializer({"lock": standing}).data)


@extend_schema(
    operation_id="receiveSecrets",
    tags=["Runners"],
    request=AttemptSerializer,
    responses={200: SecretValuesSerializer, **refusals(409)},
)
@api_view(["POST"])
@authentication_classes([RunAuthentication])
@permission_classes([HasRunnerToken])
def secrets(request: Request, pk: UUID) -> Response:
    """Receive the values of the run's secrets. For this attempt alone, which keeps them out of the
    sandbox."""
    _check_attempt(request, pk)
    fields = validated(AttemptSerializer, request)
    values = runner_events.secret_values(run_id=pk, attempt=fields["attempt"])
    return Response(SecretValuesSerializer({"secrets": values}).data)


@extend_schema(
    operation_id="finishRun",
    tags=["Runners"],
    request=FinishSerializer,
    responses={200: None, **refusals(409)},
)
@api_view(["POST"])
@authentication_classes([RunAuthentication])
@permission_classes([HasRunnerToken])
@parser_classes([BatchParser])
def finish(request: Request, pk: UUID) -> Response:
    """End the attempt. May be repeated for the same attempt."""
    _check_attempt(request, pk)
    runner_events.finish(run_id=pk, finish=validated(FinishSerializer, request))
    return Response({})


def _runner(request: Request) -> Runner:
    return cast("Runner", request.auth)


def _described(request: Request) -> Runner:
    """The runner, with the capabilities of the body stored."""
    runner = _runner(request)
    capabilities = plain(validated(CapabilitiesSerializer, request)["capabilities"])
    values = capabilities if isinstance(capabilities, dict) else {}
    runners.describe(runner=runner, capabilities=values)
    return runner


def _check_attempt(request: Request, pk: UUID) -> None:
    """Raise 403 or 409 unless address and body are about the run and attempt of the token."""
    token: Any = request.auth
    if token.run != pk:
        raise Forbidden(f"the token is for run {token.run}, not for {pk}", code="token.scope")
    data: Any = request.data
    attempt = data.get("attempt") if isinstance(data, dict) else None
    if attempt != token.attempt:
        raise HubError(
            "runner.superseded",
            f"the token is for attempt {token.attempt}, not for {attempt!r:.40}",
            status=409,
        )


urlpatterns = [
    path("whoami/", whoami, name="runner-whoami"),
    path("present/", present, name="runner-present"),
    path("poll/", poll, name="runner-poll"),
    path("runs/<uuid:pk>/events/", events, name="runner-events"),
    path("runs/<uuid:pk>/lock/", lock, name="runner-lock"),
    path("runs/<uuid:pk>/data-lock/", data_lock, name="runner-data-lock"),
    path("runs/<uuid:pk>/secrets/", secrets, name="runner-secrets"),
    path("runs/<uuid:pk>/finish/", finish, name="runner-finish"),
]
