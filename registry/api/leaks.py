"""POST /api/v1/leaks/: revoke a token of ours that somebody found anywhere.

A person who can show a token could use it, so showing it is permission enough to end it, and nobody
has to sign in. The answer holds for each text only whether it was a token of this hub.
Source: GitHub's secret scanning partner programme, for the list and its answer.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.decorators import api_view, authentication_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.schema.auto_schema import refusals
from registry.api.serializers.base import validated
from registry.api.serializers.people import (
    MAX_LEAKS,
    LeakAnswerSerializer,
    LeakSerializer,
    PartnerLeakSerializer,
    RevokedSerializer,
)
from registry.api.throttles import rate_scope
from registry.publishers import leaked

UNKNOWN_PLACE = "an unknown place"


def _partner_list(**options: Any) -> Any:
    bounds: dict[str, Any] = {"min_length": 1, "max_length": MAX_LEAKS}
    return PartnerLeakSerializer(many=True, **bounds, **options)


@extend_schema(
    operation_id="reportLeaks",
    tags=["Leaks"],
    request=PolymorphicProxySerializer(
        component_name="Leaks",
        serializers=[LeakSerializer, _partner_list()],
        resource_type_field_name=None,
        many=False,
    ),
    responses={
        200: PolymorphicProxySerializer(
            component_name="LeakAnswers",
            serializers=[RevokedSerializer, LeakAnswerSerializer(many=True)],
            resource_type_field_name=None,
            many=False,
        ),
        **refusals(429),
    },
)
@api_view(["POST"])
@authentication_classes([])
@throttle_classes([rate_scope("leak")])
def leaks(request: Request) -> Response:
    """Report leaked tokens. They are revoked at once and their owners notified by mail. No sign-in
    is needed: a person who holds a token could use it."""
    data: Any = request.data
    if isinstance(data, list):
        rows = _partner_list(data=data)
        rows.is_valid(raise_exception=True)
        answers = [_revoke(row) for row in rows.validated_data]
        return Response(LeakAnswerSerializer(answers, many=True).data)
    leak = validated(LeakSerializer, request)
    revoked = leaked.revoke(leak["token"], where=leak["where"] or UNKNOWN_PLACE)
    return Response(RevokedSerializer({"revoked": revoked}).data)


def _revoke(leak: dict[str, str]) -> dict[str, str]:
    place = leak["url"] or leak["source"] or UNKNOWN_PLACE
    revoked = leaked.revoke(leak["token"], where=place)
    return {
        "token_raw": leak["token"],
        "token_type": leak["type"],
        "label": "true_positive" if revoked else "false_positive",
    }
