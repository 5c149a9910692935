"""`prime eval` push, list, get and samples, and what `vf-eval --push` sends."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework.decorators import parser_classes, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.names import BadName, canonical_version, normalise
from registry.accounts.models import Owner
from registry.api import lookup
from registry.api.auth import get_actor, person
from registry.api.parsers import Json
from registry.api.permissions import SignedIn, demand, requires
from registry.api.prime import inputs
from registry.api.prime.endpoint import answer, endpoint
from registry.api.prime.lookup import environment_by_id
from registry.api.prime.outputs import EvaluationSerializer
from registry.api.serializers.base import validated, validated_query
from registry.catalog.models import Environment, Version
from registry.lookup import owner as find_owner
from registry.self_reported import samples, services
from registry.self_reported.claims import Claims
from registry.self_reported.models import Evaluation

MAX_ERROR = 4096  # characters of an error message that are kept


class BatchParser(Json):
    """JSON of a whole batch of samples."""

    max_bytes = samples.BATCH_BYTES


@endpoint("GET", "POST")
@permission_classes([SignedIn])
def evaluations(request: Request) -> Response:
    """GET: one's own, or of one environment all that one may see. POST: push one."""
    if request.method == "POST":
        return _create(request)
    query = validated_query(inputs.EvaluationsQuery, request)
    rows = Evaluation.objects.visible_to(*get_actor(request))
    if query["environment_name"]:
        owner, _, name = query["environment_name"].rpartition("/")
        rows = rows.filter(environment__name=normalise(name))
        rows = rows.filter(environment__owner__name=owner.lower()) if owner else rows
    elif not query["team_id"]:
        rows = rows.filter(owner_id__in=person(request).roles)
    if query["team_id"]:
        rows = rows.filter(owner=find_owner(query["team_id"]))
    if query["suite_id"]:
        rows = rows.none()  # there are no suites here
    skip, limit = query["skip"], query["limit"]
    page = rows.for_summary().order_by("-created_at", "-pk")[skip : skip + limit]
    listed = EvaluationSerializer(page, many=True).data
    return Response({"evaluations": listed, "total": rows.count(), "skip": skip, "limit": limit})


def _create(request: Request) -> Response:
    fields, user = validated(inputs.NewEvaluation, request), person(request)
    claims, (played,) = inputs.claims(fields), fields["environments"]
    environment = environment_by_id(request, played["id"], "environment.push_evaluation")
    owner: Owner = user.owner
    if fields["team_id"]:
        owner = find_owner(fields["team_id"])
        demand(request, "owner.publish", owner)
    number = played["version_id"] or _version_in_metadata(claims)
    evaluation = services.create(
        environment=environment,
        version=_version(request, environment, number),
        owner=owner,
        by=user,
        claims=claims,
        is_public=fields["is_public"],
    )
    return Response(EvaluationSerializer(evaluation).data, 201)


def _version(request: Request, environment: Environment, text: str) -> Version | None:
    """The version by its number, where it is one that the actor may see."""
    try:
        number = canonical_version(text)
    except BadName:
        return None
    visible = environment.versions.visible_to(*get_actor(request))
    return visible.filter(version=number).first()


def _version_in_metadata(claims: Claims) -> str:
    """The version that verifiers before 0.4 wrote into its metadata."""
    info = (claims.metadata or {}).get("version_info")
    text: Any = info.get("env_version") if isinstance(info, dict) else None
    return text if isinstance(text, str) else ""


@endpoint("GET", "PUT", "DELETE")
@permission_classes(
    [requires(GET="evaluation.see", PUT="evaluation.change", DELETE="evaluation.remove")]
)
def evaluation(request: Request, pk: UUID) -> Response:
    """GET: all but the samples. PUT: change claims, or that it failed. DELETE: delete it."""
    row = lookup.evaluation(request, pk)
    if request.method == "DELETE":
        services.delete(evaluation=row, by=person(request))
        return answer({"success": True})
    if request.method == "PUT":
        fields = validated(inputs.ChangedEvaluation, request)
        if fields["status"]:
            message = fields["error_message"][:MAX_ERROR]
            services.end(evaluation=row, status=fields["status"], error_message=message)
        services.update(evaluation=row, claims=inputs.claims(fields))
    return Response(EvaluationSerializer(row).data)


@endpoint("GET", "POST")
@permission_classes([requires(GET="evaluation.see", POST="evaluation.change")])
@parser_classes([BatchParser])
def samples_of(request: Request, pk: UUID) -> Response:
    """GET: a page of samples. POST: a batch more."""
    row = lookup.evaluation(request, pk)
    if request.method == "POST":
        batch = validated(inputs.Batch, request)["samples"]
        total = samples.add(evaluation=row, samples=batch)
        return Response({"samples_pushed": len(batch), "total": total}, 201)
    query = validated_query(inputs.SamplesQuery, request)
    page, limit = query["page"], query["limit"]
    start = (page - 1) * limit
    return Response(
        {
            "samples": samples.read(evaluation=row, start=start, count=limit),
            "total": row.sample_count,
            "page": page,
            "limit": limit,
            "has_more": start + limit < row.sample_count,
        }
    )


@endpoint("POST")
@permission_classes([requires(POST="evaluation.change")])
def finalize(request: Request, pk: UUID) -> Response:
    """Complete it, with its last metrics."""
    row = lookup.evaluation(request, pk)
    metrics = validated(inputs.Completion, request)["metrics"]
    services.end(evaluation=row, status=services.COMPLETED)
    if metrics:
        services.update(evaluation=row, claims=Claims(metrics=metrics))
    return Response(EvaluationSerializer(row).data)
