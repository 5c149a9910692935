"""Reports, quarantine and the journal."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import lookup
from registry.api.auth import get_actor, person
from registry.api.pagination import page
from registry.api.permissions import requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers.base import validated, validated_query
from registry.api.serializers.catalog import (
    EnvironmentSerializer,
    ReasonSerializer,
    VersionSerializer,
)
from registry.api.serializers.moderation import (
    OPEN,
    JournalEntrySerializer,
    NewReportSerializer,
    ReportQuery,
    ReportSerializer,
    ResolutionSerializer,
)
from registry.api.throttles import rate_scope
from registry.catalog.models import Environment, Version
from registry.errors import NotFound
from registry.events import Event
from registry.moderation import journal, services
from registry.read_models import environments, versions


@extend_schema(
    operation_id="reportEnvironment",
    tags=["Moderation"],
    request=NewReportSerializer,
    responses={201: ReportSerializer, **refusals(429)},
)
@api_view(["POST"])
@permission_classes([requires(POST="environment.report")])
@throttle_classes([rate_scope("report", per_person=True)])
def report(request: Request, owner: str, name: str) -> Response:
    """Report an environment. Sends staff a report about it, or about one version."""
    environment = lookup.environment(request, owner, name)
    fields = validated(NewReportSerializer, request)
    number = fields["version"]
    version = lookup.version(request, owner, name, number, "version.see") if number else None
    row = services.report(
        environment=environment,
        version=version,
        by=person(request),
        reason=fields["reason"],
        text=fields["text"],
    )
    return Response(ReportSerializer(row).data, 201)


@extend_schema(
    operation_id="listReports",
    tags=["Moderation"],
    parameters=[ReportQuery],
    responses=ReportSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="hub.moderate")])
def reports(request: Request) -> Response:
    """List reports. For staff; the oldest first."""
    state = validated_query(ReportQuery, request).get("state", OPEN)
    rows = services.rows().filter(resolved_at__isnull=state == OPEN)
    return page(request, rows, ReportSerializer, by=("pk",))


@extend_schema(
    operation_id="resolveReport",
    tags=["Moderation"],
    request=ResolutionSerializer,
    responses={200: ReportSerializer, **refusals(409)},
)
@api_view(["POST"])
@permission_classes([requires(POST="hub.moderate")])
def resolve(request: Request, pk: int) -> Response:
    """Close a report. For staff, with a sentence on what was done."""
    row = services.rows().filter(pk=pk).first()
    if row is None:
        raise NotFound("there is no such report")
    services.resolve(report=row, by=person(request), **validated(ResolutionSerializer, request))
    return Response(ReportSerializer(row).data)


@extend_schema(
    methods=["POST"],
    operation_id="quarantineEnvironment",
    tags=["Moderation"],
    summary="Quarantine an environment",
    description="For staff: nobody can install it until it is released (PEP 792).",
    request=ReasonSerializer,
    responses=EnvironmentSerializer,
)
@extend_schema(
    methods=["DELETE"],
    operation_id="releaseEnvironment",
    tags=["Moderation"],
    summary="Release an environment from quarantine",
    description="For staff.",
    responses={200: EnvironmentSerializer},
)
@api_view(["POST", "DELETE"])
@permission_classes([requires(POST="environment.quarantine", DELETE="environment.quarantine")])
def quarantine_environment(request: Request, owner: str, name: str) -> Response:
    """Staff. POST with a reason: block its installation. DELETE: release it."""
    row = lookup.environment(request, owner, name)
    _quarantine(request, row)
    return Response(EnvironmentSerializer(environments.summary(row)).data)


@extend_schema(
    methods=["POST"],
    operation_id="quarantineVersion",
    tags=["Moderation"],
    summary="Quarantine a version",
    description="For staff: nobody can install it until it is released.",
    request=ReasonSerializer,
    responses=VersionSerializer,
)
@extend_schema(
    methods=["DELETE"],
    operation_id="releaseVersion",
    tags=["Moderation"],
    summary="Release a version from quarantine",
    description="For staff.",
    responses={200: VersionSerializer},
)
@api_view(["POST", "DELETE"])
@permission_classes([requires(POST="version.quarantine", DELETE="version.quarantine")])
def quarantine_version(request: Request, owner: str, name: str, number: str) -> Response:
    """The same for one version."""
    row = lookup.version(request, owner, name, number)
    _quarantine(request, row)
    return Response(VersionSerializer(versions.summary(row)).data)


def _quarantine(request: Request, row: Environment | Version) -> None:
    if request.method == "POST":
        services.quarantine(target=row, by=person(request), **validated(ReasonSerializer, request))
    else:
        services.release(target=row, by=person(request))


@extend_schema(
    operation_id="listEnvironmentEvents",
    tags=["Journal"],
    responses=JournalEntrySerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="environment.journal")])
def of_environment(request: Request, owner: str, name: str) -> Response:
    """Read the journal of an environment. What happened to it, the newest first."""
    return _events(request, journal.of_environment(lookup.environment(request, owner, name)))


@extend_schema(
    operation_id="listOwnerEvents",
    tags=["Journal"],
    responses=JournalEntrySerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="owner.journal")])
def of_owner(request: Request, name: str) -> Response:
    """Read the journal of an owner. What happened under that name, the newest first."""
    return _events(request, journal.of_owner(lookup.owner(request, name)))


@extend_schema(
    operation_id="listEvents",
    tags=["Journal"],
    responses=JournalEntrySerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="hub.moderate")])
def of_all(request: Request) -> Response:
    """Read the whole journal. For staff; the newest first."""
    return _events(request, journal.of_hub())


def _events(request: Request, rows: QuerySet[Event]) -> Response:
    context = {"actor": get_actor(request)}
    return page(request, rows, JournalEntrySerializer, by=("-pk",), context=context)
