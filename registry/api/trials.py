"""Check a wheel's names, and the report of a run on the author's machine, before an upload."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Owner
from registry.api import body, throttles
from registry.api.auth import get_actor, person
from registry.card import trial
from registry.errors import HubError
from registry.uploads import dry_run


@api_view(["POST"])
def check(request: Request) -> Response:
    """The findings that an upload of these names would meet; with `report` its card as well."""
    user, data = person(request), body.read(request)
    throttles.check(request, "check", who=str(user.pk))
    if data.get("report") is not None:
        throttles.check(request, "card", who=str(user.pk))
    _, token = get_actor(request)
    name = body.owner_name(data, user).lower()
    findings = dry_run.name_findings(
        owner=Owner.objects.filter(name=name).first(),
        owner_name=name,
        name=body.text(data, "name"),
        version=body.text(data, "version"),
        filename=body.text(data, "filename", default=""),
        sha256=body.text(data, "sha256", default=""),
        by=user,
        token=token,
    )
    return Response(
        {
            "owner": name,
            "findings": [found.to_dict() for found in findings],
            "card": _card(data.get("report")),
        }
    )


def _card(report: Any) -> dict[str, Any] | None:
    if report is None:
        return None
    if not isinstance(report, dict):
        raise HubError("request.invalid", "report must be an object", details={"field": "report"})
    return trial.card_of(report, settings.HUB_REQUIRED_POLICIES)
