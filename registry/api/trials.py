"""Check a wheel's names, and the results of a run on the author's machine, before an upload."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from registry.accounts.models import Owner
from registry.api.auth import get_actor, person
from registry.api.environments import own_name
from registry.api.permissions import SignedIn
from registry.api.schema.auto_schema import refusals
from registry.api.serializers.base import Body, validated
from registry.api.serializers.fields import Object, Text
from registry.api.throttles import RateScope, rate_scope
from registry.card import trial
from registry.uploads import dry_run


class NewTrialSerializer(Body):
    """The names of a wheel, and perhaps the report of a run on the author's machine."""

    name = Text()
    version = Text()
    owner = Text(required=False, help_text="Left out: yours.")
    filename = Text(required=False)
    sha256 = Text(required=False, help_text="Of the wheel; the same bytes are no refusal.")
    report = Object(
        required=False,
        allow_null=True,
        default=None,
        help_text="policies, tasks, attempts, facts, rollouts and replays of a run.",
    )


class TrialFindingSerializer(Serializer[Any]):
    """A result of a check, as an upload or an evaluation would show it."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(("error", "warning", "info"))
    message = serializers.CharField()
    hint = serializers.CharField()
    where = serializers.CharField()
    details = serializers.DictField()


class TrialCardSerializer(Serializer[Any]):
    """The hub's measures of the report."""

    measures = serializers.ListField(child=serializers.DictField())
    scores = serializers.ListField(child=serializers.DictField())
    findings = TrialFindingSerializer(many=True)


class TrialSerializer(Serializer[Any]):
    """The findings that an upload would have."""

    owner = serializers.CharField()
    findings = TrialFindingSerializer(many=True)
    card = TrialCardSerializer(allow_null=True)


class CardScope(RateScope):
    """Counts the requests with a report: each computes for up to two seconds."""

    scope = "card"
    per_person = True

    def allow_request(self, request: Request, view: APIView) -> bool:
        """True; raises 429."""
        data: Any = request.data
        if isinstance(data, dict) and data.get("report") is not None:
            return super().allow_request(request, view)
        return True


@extend_schema(
    operation_id="checkUpload",
    tags=["Environments"],
    request=NewTrialSerializer,
    responses={200: TrialSerializer, **refusals(429)},
)
@api_view(["POST"])
@permission_classes([SignedIn])
@throttle_classes([rate_scope("check", per_person=True), CardScope])
def check(request: Request) -> Response:
    """Check a wheel before it is uploaded. The refusals and warnings that these names would meet:
    the name's rules, names that look alike, versions and file names that were used. With `report`,
    the card and verdict that the hub would give those rollouts. Nothing is kept."""
    user, fields = person(request), validated(NewTrialSerializer, request)
    owner = (fields["owner"] or own_name(user)).lower()
    findings = dry_run.name_findings(
        owner=Owner.objects.filter(name=owner).first(),
        owner_name=owner,
        name=fields["name"],
        version=fields["version"],
        filename=fields["filename"],
        sha256=fields["sha256"],
        by=user,
        token=get_actor(request)[1],
    )
    report = fields["report"]
    card = None if report is None else trial.card_of(report, settings.HUB_REQUIRED_POLICIES)
    return Response(TrialSerializer({"owner": owner, "findings": findings, "card": card}).data)
