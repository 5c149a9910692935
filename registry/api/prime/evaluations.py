"""`prime eval` push, list, get and samples, and what `vf-eval --push` sends."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.names import BadName, canonical_version, normalise
from envyard.contract.values import plain
from registry.accounts.models import Owner
from registry.accounts.permissions import require
from registry.api.auth import get_actor, person
from registry.api.parsers import Json
from registry.api.prime import body, find
from registry.api.prime.endpoint import answer, endpoint, short
from registry.api.prime.query import query_number
from registry.catalog.models import Environment, Version
from registry.errors import HubError, NotFound
from registry.lookup import owner as find_owner
from registry.read_models.evaluations import detail, summaries
from registry.self_reported import samples, services
from registry.self_reported.claims import Claims
from registry.self_reported.models import Evaluation

LAST = 1_000_000
TEXTS = {
    "name": 200,
    "model_name": 200,
    "dataset": 200,
    "framework": 80,
    "task_type": 80,
    "description": 4000,
}
MOST_TAGS = 20
MOST_CHARACTERS = 100_000  # of metadata or metrics, which every list reads


class Batch(Json):
    """JSON of a whole batch of samples."""

    max_bytes = samples.BATCH_BYTES


@endpoint("GET", "POST")
def evaluations(request: Request) -> Response:
    """GET: one's own, or of one environment all that one may see. POST: push one."""
    return _create(request) if request.method == "POST" else _list(request)


def _list(request: Request) -> Response:
    user, query = person(request), request.query_params
    matching = Evaluation.objects.visible_to(*get_actor(request))
    if name := query.get("environment_name"):
        owner, _, last = name.rpartition("/")
        matching = matching.filter(environment__name=normalise(last))
        matching = matching.filter(environment__owner__name=owner.lower()) if owner else matching
    elif not query.get("team_id"):
        matching = matching.filter(owner_id__in=user.roles)
    if team := query.get("team_id"):
        matching = matching.filter(owner=find_owner(team))
    if query.get("suite_id"):
        matching = matching.none()  # there are no suites here
    limit = query_number(request, "limit", 50, low=1, high=100)
    skip = query_number(request, "skip", 0, low=0, high=LAST)
    rows = matching.for_summary().order_by("-created_at", "-pk")[skip : skip + limit]
    return Response(
        {
            "evaluations": summaries(rows),
            "total": matching.count(),
            "skip": skip,
            "limit": limit,
        }
    )


def _create(request: Request) -> Response:
    data, user = body.read(request), person(request)
    _, token = get_actor(request)
    claims = _claims(data)
    if claims.name is None:
        raise HubError("request.invalid", "name is missing", details={"field": "name"})
    environment, number = _environment(request, data)
    is_public = data.get("is_public", False)
    if not isinstance(is_public, bool):
        raise HubError("request.invalid", "is_public must be true or false")
    owner: Owner = user.owner
    if data.get("team_id") is not None:
        owner = find_owner(body.text(data, "team_id"))
        require(user, "owner.publish", owner, token)
    evaluation = services.create(
        environment=environment,
        version=_version(request, environment, number or _version_in_metadata(claims)),
        owner=owner,
        by=user,
        claims=claims,
        is_public=is_public,
    )
    return Response(detail(evaluation), 201)


def _environment(request: Request, data: dict[str, Any]) -> tuple[Environment, str]:
    """The one environment that was played, and its version where the body has one."""
    listed = data.get("environments")
    if not isinstance(listed, list) or len(listed) != 1 or not isinstance(listed[0], dict):
        raise HubError(
            "request.invalid",
            "environments must name exactly one environment: this hub knows neither suites nor "
            "training runs",
            "Push with `--env owner/name`, and each environment's evaluation apart.",
            details={"field": "environments"},
        )
    pk = short(listed[0], "id", 40, default=None)
    environment = find.by_id(request, pk, "environment.push_evaluation")
    return environment, short(listed[0], "version_id", 80)


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
    text = info.get("env_version") if isinstance(info, dict) else None
    return text if isinstance(text, str) else ""


@endpoint("GET", "PUT", "DELETE")
def evaluation(request: Request, pk: UUID) -> Response:
    """GET: all but the samples. PUT: say more, or that it failed. DELETE: take it away."""
    if request.method == "GET":
        return Response(detail(_row(request, pk, "evaluation.see")))
    if request.method == "DELETE":
        row = _row(request, pk, "evaluation.remove")
        services.delete(evaluation=row, by=person(request))
        return answer({"success": True})
    row = _row(request, pk, "evaluation.change")
    data = body.read(request)
    status = short(data, "status", 20).lower()
    if status:
        if status not in (services.FAILED, services.CANCELLED):
            raise HubError(
                "request.invalid",
                f"status {status!r} must be failed or cancelled; finalize completes",
                details={"field": "status"},
            )
        message = body.text(data, "error_message", default="")[:4096]
        services.end(evaluation=row, status=status, error_message=message)
    services.update(evaluation=row, claims=_claims(data))
    return Response(detail(row))


@endpoint("GET", "POST", parser=Batch)
def samples_of(request: Request, pk: UUID) -> Response:
    """GET: a page of samples. POST: a batch more."""
    if request.method == "POST":
        row = _row(request, pk, "evaluation.change")
        sent = body.read(request).get("samples")
        if not isinstance(sent, list) or not sent or not all(isinstance(s, dict) for s in sent):
            raise HubError(
                "request.invalid",
                "samples must be a list of objects with at least one",
                details={"field": "samples"},
            )
        total = samples.add(evaluation=row, samples=sent)
        return Response({"samples_pushed": len(sent), "total": total}, 201)
    row = _row(request, pk, "evaluation.see")
    limit = query_number(request, "limit", 100, low=1, high=1000)
    page = query_number(request, "page", 1, low=1, high=LAST)
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
def finalize(request: Request, pk: UUID) -> Response:
    """Complete it, with its last metrics."""
    row = _row(request, pk, "evaluation.change")
    metrics = _object(body.read(request), "metrics")
    services.end(evaluation=row, status=services.COMPLETED)
    if metrics:
        services.update(evaluation=row, claims=Claims(metrics=metrics))
    return Response(detail(row))


def _row(request: Request, pk: UUID, verb: str) -> Evaluation:
    row = Evaluation.objects.for_summary().filter(pk=pk).first()
    if row is None:
        raise NotFound
    actor, token = get_actor(request)
    require(actor, verb, row, token)
    return row


def _claims(data: dict[str, Any]) -> Claims:
    """The claims of the body; fields that it leaves out or empty stay as they are."""
    texts = {name: short(data, name, maximum) or None for name, maximum in TEXTS.items()}
    tags = data.get("tags") or []
    if not isinstance(tags, list) or len(tags) > MOST_TAGS:
        raise HubError(
            "request.invalid",
            f"tags must be a list of at most {MOST_TAGS} words",
            details={"field": "tags"},
        )
    words = [short({"tags": tag}, "tags", 40, default=None) for tag in tags]
    return Claims(
        **texts,
        tags=words or None,
        metadata=_object(data, "metadata"),
        metrics=_object(data, "metrics"),
    )


def _object(data: dict[str, Any], field: str) -> dict[str, Any] | None:
    """An object of JSON, cut to what is sensible to keep; None where there is none."""
    value = data.get(field)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise HubError("request.invalid", f"{field} must be an object", details={"field": field})
    cleaned = plain(value)
    if len(json.dumps(cleaned)) > MOST_CHARACTERS:
        raise HubError(
            "request.too_large",
            f"{field} has more than {MOST_CHARACTERS} characters as JSON",
            "Push what belongs to single samples with the samples.",
            413,
            {"field": field},
        )
    return cleaned if isinstance(cleaned, dict) else None
