"""Versions: list, show, delete, yank, retry, judge again; and their locks."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry import pipeline
from registry.api import lookup
from registry.api.auth import get_actor, person
from registry.api.pagination import page
from registry.api.permissions import requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers.base import validated
from registry.api.serializers.catalog import (
    LockDetailSerializer,
    LockList,
    LockListSerializer,
    ReasonSerializer,
    VersionDetailSerializer,
    VersionSerializer,
)
from registry.api.serializers.data_locks import DataLockDetailSerializer
from registry.api.throttles import rate_scope
from registry.catalog import locks, overlays
from registry.catalog.deletion import delete_version
from registry.catalog.models import Version
from registry.errors import NotFound
from registry.read_models import data_locks
from registry.read_models import locks as lock_models
from registry.read_models import versions as read_models
from registry.remeasurements import services as remeasurements


@extend_schema(
    operation_id="listVersions",
    tags=["Versions"],
    responses=VersionSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="environment.see")])
def versions(request: Request, owner: str, name: str) -> Response:
    """List versions. Those that you may see, newest first; owners see unlisted ones too."""
    environment = lookup.environment(request, owner, name)
    visible = environment.versions.visible_to(*get_actor(request))
    rows = visible.select_related("environment__owner")
    by = ("-sort_key", "-pk")
    return page(request, rows, VersionSerializer, by=by, read=read_models.summaries)


@extend_schema(
    methods=["GET"],
    operation_id="getVersion",
    tags=["Versions"],
    summary="Show a version",
    description="With metadata, file, findings, its steps in the pipeline, last run and card.",
    responses=VersionDetailSerializer,
)
@extend_schema(
    methods=["DELETE"],
    operation_id="deleteVersion",
    tags=["Versions"],
    summary="Delete a version",
    description="For good: neither the version nor its file name ever returns. Yank it where "
    "people may have pinned it.",
    responses={204: None},
)
@api_view(["GET", "DELETE"])
@permission_classes([requires(GET="version.see", DELETE="version.delete")])
def version(request: Request, owner: str, name: str, number: str) -> Response:
    """GET: with its findings, its steps in the pipeline, last run and card. DELETE: for good."""
    row = lookup.version(request, owner, name, number)
    if request.method == "DELETE":
        delete_version(version=row, by=person(request))
        return Response(status=204)
    return _detail(row)


@extend_schema(operation_id="listLocks", tags=["Versions"], responses=LockListSerializer)
@api_view(["GET"])
@permission_classes([requires(GET="version.see")])
def version_locks(request: Request, owner: str, name: str, number: str) -> Response:
    """List the locks of a version. One for each platform that it ran on, made by its first run
    there and never changed."""
    row = lookup.version(request, owner, name, number)
    return Response(LockListSerializer(LockList(lock_models.summaries(row))).data)


@extend_schema(operation_id="getLock", tags=["Versions"], responses=LockDetailSerializer)
@api_view(["GET"])
@permission_classes([requires(GET="version.see")])
def version_lock(request: Request, owner: str, name: str, number: str, platform: str) -> Response:
    """Show a lock. `text` is a requirements file for `--no-deps --require-hashes`."""
    lock = locks.of(lookup.version(request, owner, name, number), platform)
    return Response(LockDetailSerializer(lock_models.detail(lock)).data)


@extend_schema(
    operation_id="getDataLock",
    tags=["Versions"],
    summary="Show the data lock",
    description="The commits and files of data sets that its runs read; `frozen_at` is null until "
    "one succeeded. 404 where none has read any.",
    responses=DataLockDetailSerializer,
)
@api_view(["GET"])
@permission_classes([requires(GET="version.see")])
def version_data_lock(request: Request, owner: str, name: str, number: str) -> Response:
    """What its runs read of data sets."""
    version = lookup.version(request, owner, name, number)
    detail = data_locks.detail(version)
    if detail is None:
        raise NotFound(f"no run of {version} has read a data set")
    return Response(DataLockDetailSerializer(detail).data)


@extend_schema(
    methods=["POST"],
    operation_id="yankVersion",
    tags=["Versions"],
    summary="Yank a version",
    description="Installers no longer pick it; exact pins still find it (PEP 592).",
    request=ReasonSerializer,
    responses=VersionSerializer,
)
@extend_schema(
    methods=["DELETE"],
    operation_id="unyankVersion",
    tags=["Versions"],
    summary="Take a yank back",
    description="409 where it is not yanked.",
    responses={200: VersionSerializer},
)
@api_view(["POST", "DELETE"])
@permission_classes([requires(POST="version.yank", DELETE="version.yank")])
def yank(request: Request, owner: str, name: str, number: str) -> Response:
    """POST with a reason: yank. DELETE: undo it."""
    row, user = lookup.version(request, owner, name, number), person(request)
    if request.method == "POST":
        overlays.yank(version=row, by=user, **validated(ReasonSerializer, request))
    else:
        overlays.unyank(version=row, by=user)
    return Response(VersionSerializer(read_models.summary(row)).data)


@extend_schema(
    operation_id="retryVersion",
    tags=["Versions"],
    request=None,
    responses={200: VersionDetailSerializer, **refusals(409, 429)},
)
@api_view(["POST"])
@permission_classes([requires(POST="version.retry")])
@throttle_classes([rate_scope("retry", per_person=True)])
def retry(request: Request, owner: str, name: str, number: str) -> Response:
    """Evaluate a held version again, or measure a listed one again, whose status that does not
    change. For those who may publish it, and staff. 409 where it is under way or rejected. From the
    second retry of a held version within a day 429 until a minute after it was held, then two,
    four, up to an hour, and for a listed version within a day of the last; not for staff."""
    row = lookup.version(request, owner, name, number)
    remeasurements.retry(version=row, by=person(request))
    return _detail(row)


@extend_schema(
    operation_id="rejudgeVersion",
    tags=["Versions"],
    request=ReasonSerializer,
    responses={200: VersionDetailSerializer, **refusals(409)},
)
@api_view(["POST"])
@permission_classes([requires(POST="version.rejudge")])
def rejudge(request: Request, owner: str, name: str, number: str) -> Response:
    """Judge a rejected version again. For staff, after a rule was changed or a fault of the hub
    mended. It goes back to the step that rejected it: the check, the verdict on its last run, or a
    new run. The journal keeps the reason. 409 where it is not rejected."""
    row = lookup.version(request, owner, name, number)
    pipeline.rejudge(version=row, by=person(request), **validated(ReasonSerializer, request))
    return _detail(row)


def _detail(version: Version) -> Response:
    return Response(VersionDetailSerializer(read_models.detail(version)).data)
