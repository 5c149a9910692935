"""Reports, quarantine and the journal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db.models import QuerySet
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Token
from registry.accounts.permissions import Actor, require
from registry.api import body, lookup, shapes, throttles
from registry.api.auth import get_actor, person
from registry.api.paging import page
from registry.catalog.models import Environment, Version
from registry.errors import HubError, NotFound
from registry.events import Event
from registry.moderation import journal, services
from registry.moderation.models import Report


@api_view(["POST"])
def report(request: Request, owner: str, name: str) -> Response:
    """Tell staff what is wrong with it, or with one `version` of it."""
    found = lookup.environment(request, owner, name, "environment.report")
    user, data = person(request), body.read(request)
    throttles.check(request, "report", who=str(user.pk))
    number = body.text(data, "version", default="")
    version = lookup.version(request, owner, name, number, "version.see") if number else None
    made = services.report(
        environment=found,
        version=version,
        by=user,
        reason=body.text(data, "reason"),
        text=body.text(data, "text"),
    )
    return Response(_report(made), 201)


@api_view(["GET"])
def reports(request: Request) -> Response:
    """Staff: those that are open, oldest first; with `state=resolved` the others."""
    _moderator(request)
    state = request.query_params.get("state", "open")
    if state not in ("open", "resolved"):
        raise HubError(
            "request.invalid",
            f"state {state[:40]!r} must be open or resolved",
            details={"field": "state"},
        )
    rows = services.rows().filter(resolved_at__isnull=state == "open")
    return page(request, rows, by=("pk",), shape=lambda some: [_report(one) for one in some])


@api_view(["POST"])
def resolve(request: Request, pk: int) -> Response:
    """Staff: close one, with a sentence on what was done."""
    _moderator(request)
    found = services.rows().filter(pk=pk).first()
    if found is None:
        raise NotFound("there is no such report")
    resolution = body.text(body.read(request), "resolution")
    services.resolve(report=found, by=person(request), resolution=resolution)
    return Response(_report(found))


@api_view(["POST", "DELETE"])
def quarantine_environment(request: Request, owner: str, name: str) -> Response:
    """Staff. POST with a reason: take it from everybody. DELETE: release it."""
    found = lookup.environment(request, owner, name, "environment.quarantine")
    _quarantine(request, found)
    return Response(shapes.environment_summary(found))


@api_view(["POST", "DELETE"])
def quarantine_version(request: Request, owner: str, name: str, number: str) -> Response:
    """The same for one version."""
    found = lookup.version(request, owner, name, number, "version.quarantine")
    _quarantine(request, found)
    return Response(shapes.version_summary(found))


def _quarantine(request: Request, thing: Environment | Version) -> None:
    if request.method == "POST":
        reason = body.text(body.read(request), "reason")
        services.quarantine(thing=thing, by=person(request), reason=reason)
    else:
        services.release(thing=thing, by=person(request))


@api_view(["GET"])
def of_environment(request: Request, owner: str, name: str) -> Response:
    """What happened to it, the newest first."""
    found = lookup.environment(request, owner, name, "environment.journal")
    return _events(request, journal.of_environment(found))


@api_view(["GET"])
def of_owner(request: Request, name: str) -> Response:
    """What happened under that name, the newest first."""
    found = lookup.find_owner(name)
    who, token = get_actor(request)
    require(who, "owner.journal", found, token)
    return _events(request, journal.of_owner(found))


@api_view(["GET"])
def of_all(request: Request) -> Response:
    """Staff: everything, the newest first."""
    _moderator(request)
    return _events(request, journal.entire())


def _moderator(request: Request) -> None:
    who, token = get_actor(request)
    require(who, "hub.moderate", who, token)


def _events(request: Request, rows: QuerySet[Event]) -> Response:
    return page(request, rows, by=("-pk",), shape=partial(_journal, *get_actor(request)))


def _journal(who: Actor, token: Token | None, events: Sequence[Event]) -> list[shapes.Shape]:
    return [_event(event, journal.data_for(event, who, token)) for event in events]


def _event(event: Event, data: dict[str, Any]) -> shapes.Shape:
    return {
        "id": event.pk,
        "at": shapes.when(event.at),
        "actor": event.actor.username if event.actor else None,
        "verb": event.verb,
        "text": journal.sentence(event, data=data),
        "owner": event.owner.name if event.owner else None,
        "environment": journal.environment_then(event),
        "version": event.version.version if event.version else None,
        "run": str(event.run_id) if event.run_id else None,
        "data": data,
    }


def _report(report: Report) -> shapes.Shape:
    return {
        "id": report.pk,
        "environment": str(report.environment),
        "version": report.version.version if report.version else None,
        "reporter": report.reporter.username,
        "reason": report.reason,
        "text": report.text,
        "created_at": shapes.when(report.created_at),
        "resolved_at": shapes.when(report.resolved_at),
        "resolved_by": report.resolved_by.username if report.resolved_by else None,
        "resolution": report.resolution,
    }
