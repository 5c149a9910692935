"""Leaderboards, regression reports and paired comparisons of runs."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import lookup
from registry.api.auth import get_actor
from registry.api.permissions import requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers import evaluations as serializers
from registry.api.serializers.base import validated_query
from registry.catalog.models import Version
from registry.read_models import (
    chosen_sides,
    compared_sides,
    leaderboards,
    leaderboards_across,
    paired_runs,
)
from registry.runs import suites
from registry.runs.suite_models import Suite

TAG = ["Evaluations"]


@extend_schema(
    operation_id="getLeaderboard",
    tags=TAG,
    parameters=[serializers.SuiteQuery],
    responses=serializers.LeaderboardSerializer,
)
@api_view(["GET"])
@permission_classes([requires(GET="version.see")])
def of_version(request: Request, owner: str, name: str, number: str) -> Response:
    """Rank the models on a version. By one suite; models whose paired difference may be 0 share a
    rank. What people pushed is apart: reproduced by this hub, or self-reported. Rows of other
    versions or suites do not compare with these."""
    version = lookup.version(request, owner, name, number)
    claims = version.evaluations.visible_to(*get_actor(request))
    board = leaderboards.leaderboard(version, _suite(request, version), claims=claims)
    return Response(serializers.LeaderboardSerializer(board).data)


@extend_schema(
    operation_id="getLeaderboardAcross",
    tags=TAG,
    parameters=[serializers.AcrossQuery],
    responses=serializers.LeaderboardAcrossSerializer,
)
@api_view(["GET"])
def across(request: Request) -> Response:
    """Rank the models on several environments. By one suite, each environment by its latest listed
    version. A mean is over all environments of the list, and only models that have a result in
    each of them have one; those whose paired difference may be 0 share a rank."""
    query = validated_query(serializers.AcrossQuery, request)
    actor, token = get_actor(request)
    board = leaderboards_across.leaderboard_across(
        query["suite"],
        digest=query["digest"],
        environments=leaderboards_across.names_in(query["environments"]),
        actor=actor,
        token=token,
    )
    return Response(serializers.LeaderboardAcrossSerializer(board).data)


@extend_schema(
    operation_id="getRegression",
    tags=TAG,
    parameters=[serializers.SuiteQuery],
    responses=serializers.RegressionSerializer,
)
@api_view(["GET"])
@permission_classes([requires(GET="version.see")])
def regression(request: Request, owner: str, name: str, number: str) -> Response:
    """Compare a version with the one before it. Each model that was measured on both, at the tasks
    whose hash both versions have."""
    version = lookup.version(request, owner, name, number)
    report = leaderboards.regression(version, _suite(request, version))
    return Response(serializers.RegressionSerializer(report).data)


@extend_schema(
    operation_id="compareRuns",
    tags=TAG,
    responses={200: serializers.RunComparisonSerializer, **refusals(409)},
)
@api_view(["GET"])
@permission_classes([requires(GET="run.see")])
def comparison(request: Request, pk: UUID, other: UUID) -> Response:
    """Compare two runs, paired. Two models on one version or one model on two versions, by the same
    suite; else 409, which says what differs."""
    rows = lookup.run(request, pk), lookup.run(request, other)
    return Response(serializers.RunComparisonSerializer(paired_runs.comparison(*rows)).data)


@extend_schema(
    operation_id="compareSides",
    tags=TAG,
    parameters=[serializers.SidesQuery],
    responses={200: serializers.SidesComparisonSerializer, **refusals(404, 409)},
)
@api_view(["GET"])
def sides(request: Request) -> Response:
    """Compare runs, pushed evaluations or versions. A version stands for its newest run of the
    other side's suite and model. Pushed evaluations are paired by task, over the means of each
    task's attempts; `notes` say in what the sides may differ unseen. 409 says what differs."""
    query = validated_query(serializers.SidesQuery, request)
    actor, token = get_actor(request)
    rows = chosen_sides.pair(query["first"], query["second"], actor=actor, token=token)
    result, _ = compared_sides.compare_sides(*rows)
    return Response(serializers.SidesComparisonSerializer(result).data)


def _suite(request: Request, version: Version) -> Suite:
    query = validated_query(serializers.SuiteQuery, request)
    return suites.named(version.environment, query["suite"], digest=query["digest"])
