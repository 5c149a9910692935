"""Finding codes and measures: what each means and what to do."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, authentication_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.serializers.base import read_model
from registry.read_models import explained

TAG = ["Findings"]
CodeSerializer = read_model(explained.ExplainedCode)
MeasureSerializer = read_model(explained.ExplainedMeasure)


class CodesSerializer(serializers.Serializer[Any]):
    """All finding codes."""

    results = CodeSerializer(many=True)


class MeasuresSerializer(serializers.Serializer[Any]):
    """All measures."""

    results = MeasureSerializer(many=True)


@extend_schema(operation_id="listFindingCodes", tags=TAG, responses=CodesSerializer)
@api_view(["GET"])
@authentication_classes([])  # the same for everybody
def codes(request: Request) -> Response:
    """List the finding codes. Errors of the API have codes of the same list."""
    return Response(CodesSerializer({"results": explained.codes()}).data)


@extend_schema(operation_id="getFindingCode", tags=TAG, responses=CodeSerializer)
@api_view(["GET"])
@authentication_classes([])
def code(request: Request, code: str) -> Response:
    """Explain a finding code. What it means, whose fault it is and the next step."""
    return Response(CodeSerializer(explained.code(code)).data)


@extend_schema(operation_id="listMeasures", tags=TAG, responses=MeasuresSerializer)
@api_view(["GET"])
@authentication_classes([])
def measures(request: Request) -> Response:
    """List the measures. Those of a card, then those of a model."""
    return Response(MeasuresSerializer({"results": explained.measures()}).data)


@extend_schema(operation_id="getMeasure", tags=TAG, responses=MeasureSerializer)
@api_view(["GET"])
@authentication_classes([])
def measure(request: Request, measure: str) -> Response:
    """Explain a measure. Question, unit, threshold and what to do when it fails."""
    return Response(MeasureSerializer(explained.measure(measure)).data)
