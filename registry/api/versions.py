"""Versions: list, show, delete, yank, retry, judge again."""

from __future__ import annotations

from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry import pipeline
from registry.api import body, lookup, shapes, throttles
from registry.api.auth import get_actor, person
from registry.api.paging import page
from registry.catalog import locks, overlays
from registry.catalog.deletion import delete_version


@api_view(["GET"])
def versions(request: Request, owner: str, name: str) -> Response:
    """The versions that the get_actor may see, newest first."""
    found = lookup.environment(request, owner, name, "environment.see")
    visible = found.versions.visible_to(*get_actor(request)).select_related("environment__owner")
    return page(request, visible, by=("-sort_key", "-pk"), shape=shapes.version_summaries)


@api_view(["GET", "DELETE"])
def version(request: Request, owner: str, name: str, number: str) -> Response:
    """GET: with its findings, its place in the pipeline, last run and card. DELETE: for good."""
    if request.method == "DELETE":
        found = lookup.version(request, owner, name, number, "version.delete")
        delete_version(version=found, by=person(request))
        return Response(status=204)
    found = lookup.version(request, owner, name, number, "version.see")
    return Response(shapes.version_detail(found))


@api_view(["GET"])
def version_locks(request: Request, owner: str, name: str, number: str) -> Response:
    """Its locks, one for each platform that it ran on."""
    found = lookup.version(request, owner, name, number, "version.see")
    return Response({"results": shapes.lock_summaries(found)})


@api_view(["GET"])
def version_lock(request: Request, owner: str, name: str, number: str, platform: str) -> Response:
    """One lock with its text."""
    found = lookup.version(request, owner, name, number, "version.see")
    return Response(shapes.lock_detail(locks.of(found, platform)))


@api_view(["POST", "DELETE"])
def yank(request: Request, owner: str, name: str, number: str) -> Response:
    """POST with a reason: yank. DELETE: undo it."""
    found = lookup.version(request, owner, name, number, "version.yank")
    if request.method == "POST":
        reason = body.text(body.read(request), "reason")
        overlays.yank(version=found, by=person(request), reason=reason)
    else:
        overlays.unyank(version=found, by=person(request))
    return Response(shapes.version_summary(found))


@api_view(["POST"])
def retry(request: Request, owner: str, name: str, number: str) -> Response:
    """Evaluate a held version once more."""
    found, user = lookup.version(request, owner, name, number, "version.retry"), person(request)
    throttles.check(request, "retry", who=str(user.pk))
    pipeline.retry(version=found, by=user)
    return Response(shapes.version_detail(found))


@api_view(["POST"])
def rejudge(request: Request, owner: str, name: str, number: str) -> Response:
    """Staff, with a reason: decide again on a rejected version."""
    found = lookup.version(request, owner, name, number, "version.rejudge")
    reason = body.text(body.read(request), "reason")
    pipeline.rejudge(version=found, by=person(request), reason=reason)
    return Response(shapes.version_detail(found))
