"""What runners call: who am I, give me a run, this happened, this is how it ended.

A runner's token (`hubr_`) only asks for runs; reports need the run's own token (`hubrun_`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.decorators import (
    api_view,
    authentication_classes,
    parser_classes,
    permission_classes,
)
from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.runner_events import Events, Finish
from envyard.contract.values import plain
from registry.accounts import runners
from registry.accounts.models import Runner
from registry.api import body
from registry.api.auth import credentials
from registry.errors import Forbidden, HubError
from registry.runs import runner_events, services
from registry.runs.spec import job_spec
from registry.runs.tokens import read_run_token


class Report(body.Json):
    """JSON of a whole batch. NaN is let through: the contract's readers expect it."""

    most = 32 << 20

    def constant(self, name: str) -> float:
        """The number that Python writes so."""
        return float(name)


def endpoint(
    method: str, parser: type[body.Json] = body.Json
) -> Callable[[Callable[..., Response]], Callable[..., HttpResponseBase]]:
    """A view for runners, with none of the people's authentication."""

    def dressed(view: Callable[..., Response]) -> Callable[..., HttpResponseBase]:
        bare = permission_classes([])(authentication_classes([])(view))
        return api_view([method])(parser_classes([parser])(bare))

    return dressed


@endpoint("GET")
def whoami(request: Request) -> Response:
    """The name that the token stands for, and whether it gets runs."""
    return Response(_known(_runner(request)))


@endpoint("POST")
def present(request: Request) -> Response:
    """Note that the runner lives, and what it says it can do; it hears whether it gets runs."""
    runner = _runner(request)
    _describe(runner, request)
    return Response(_known(runner))


@endpoint("POST")
def poll(request: Request) -> Response:
    """Lease the next queued run that it can do; 204 where none waits for it."""
    runner = _runner(request)
    _describe(runner, request)
    run = services.lease(runner=runner, models=runners.models(runner))
    return Response(status=204) if run is None else Response(job_spec(run).to_dict())


@endpoint("POST", Report)
def events(request: Request, pk: UUID) -> Response:
    """Store one batch and renew the lease."""
    try:
        batch = Events.from_dict(_report(request, pk))
    except ValueError as error:
        raise HubError("request.invalid", str(error)) from error
    heard = runner_events.record(run_id=pk, events=batch)
    return Response({"lease_seconds": heard.lease_seconds, "cancel": heard.cancel})


@endpoint("POST", Report)
def lock(request: Request, pk: UUID) -> Response:
    """The version's lock on a platform; the one in the body becomes it where there was none."""
    data = _report(request, pk)
    offered = data.get("lock")
    stands = runner_events.lock(
        run_id=pk,
        attempt=data["attempt"],
        platform=body.text(data, "platform"),
        offered=None if offered is None else body.text(data, "lock", default=""),
    )
    return Response({"lock": stands})


@endpoint("POST", Report)
def finish(request: Request, pk: UUID) -> Response:
    """End the attempt."""
    try:
        ending = Finish.from_dict(_report(request, pk))
    except ValueError as error:
        raise HubError("request.invalid", str(error)) from error
    runner_events.finish(run_id=pk, finish=ending)
    return Response({})


def _known(runner: Runner) -> dict[str, Any]:
    return {"runner": runner.name, "draining": runner.draining_since is not None}


def _describe(runner: Runner, request: Request) -> None:
    said = plain(body.read(request).get("capabilities"))
    runners.describe(runner=runner, capabilities=said if isinstance(said, dict) else {})


def _runner(request: Request) -> Runner:
    """The runner whose token came with the request; raises 401."""
    runner = runners.verify(credentials(request) or "")
    if runner is None:
        raise HubError(
            "token.invalid",
            "this is not the token of an enabled runner",
            "Make one on the hub with `manage.py create_runner NAME`.",
            401,
        )
    return runner


def _report(request: Request, pk: UUID) -> dict[str, Any]:
    """The body of a report, which must be about the run and attempt of its token."""
    about = read_run_token(credentials(request) or "")
    data = body.read(request)
    if about.run != pk:
        raise Forbidden(f"the token is for run {about.run}, not for {pk}", code="token.scope")
    if data.get("attempt") != about.attempt:
        raise HubError(
            "runner.superseded",
            f"the token is for attempt {about.attempt}, not for {data.get('attempt')!r:.40}",
            status=409,
        )
    return data


urlpatterns = [
    path("whoami/", whoami, name="runner-whoami"),
    path("present/", present, name="runner-present"),
    path("poll/", poll, name="runner-poll"),
    path("runs/<uuid:pk>/events/", events, name="runner-events"),
    path("runs/<uuid:pk>/lock/", lock, name="runner-lock"),
    path("runs/<uuid:pk>/finish/", finish, name="runner-finish"),
]
