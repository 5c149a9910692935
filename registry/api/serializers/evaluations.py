"""Suites, and requests of evaluations."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from envyard.contract import suite
from envyard.contract.task_indexes import MAX_INDEX, MAX_INDEXES
from registry.api.serializers.base import Body, SharedFieldsSerializer, read_model
from registry.api.serializers.fields import Number, Text, Whole
from registry.read_models.compared_sides import SidesComparison
from registry.read_models.leaderboards import Leaderboard, Regression
from registry.read_models.leaderboards_across import LeaderboardAcross
from registry.read_models.paired_runs import RunComparison
from registry.read_models.suites import SuiteSummary
from registry.runs.evaluations import MAX_MODEL

SuiteSerializer = read_model(SuiteSummary)
LeaderboardSerializer = read_model(Leaderboard)
LeaderboardAcrossSerializer = read_model(LeaderboardAcross)
RegressionSerializer = read_model(Regression)
RunComparisonSerializer = read_model(RunComparison)
SidesComparisonSerializer = read_model(SidesComparison)


class SuitesSerializer(serializers.Serializer[Any]):
    """The hub's suites, then the owners' by name."""

    results = SuiteSerializer(many=True)


class NewSuiteSerializer(Body):
    """What a new suite freezes."""

    name = Text(pattern=f"^{suite.NAME.pattern}$", max_length=40)
    tasks = Whole(
        min_value=1,
        max_value=suite.MAX_TASKS,
        required=False,
        allow_null=True,
        default=None,
        help_text="The most tasks, from the first. Left out where `indexes` names them.",
    )
    indexes = serializers.JSONField(
        required=False,
        default=None,
        help_text=f"A list of up to {MAX_INDEXES} indexes of tasks, each once, from 0 to "
        f"{MAX_INDEX}: exactly these tasks.",
    )
    attempts = Whole(min_value=1, max_value=suite.MAX_ATTEMPTS)
    seed = Whole(
        min_value=0,
        max_value=suite.MAX_SEED,
        required=False,
        allow_null=True,
        default=None,
        help_text="Null: each version has its own, from 0 to 9999, which no code can know.",
    )
    temperature = Number(
        min_value=0.0, max_value=suite.MAX_TEMPERATURE, required=False, default=suite.TEMPERATURE
    )


class SuitesQuery(SharedFieldsSerializer):
    """Of which version the seeds are."""

    version = Text(
        max_length=100,
        required=False,
        help_text="A listed version, whose seeds are then in the result.",
    )


class SuiteQuery(SharedFieldsSerializer):
    """Which suite."""

    suite = Text(max_length=40, required=False, default=suite.FULL, help_text="A suite's name.")
    digest = Text(
        max_length=64,
        required=False,
        pattern="^[0-9a-f]*$",
        help_text="How the suite's digest begins: an earlier definition of the name.",
    )


class AcrossQuery(SuiteQuery):
    """Which suite, and which environments."""

    environments = Text(
        max_length=2000,
        required=False,
        help_text="OWNER/NAME with commas between them. By default those with the most models.",
    )


class SidesQuery(SharedFieldsSerializer):
    """Two sides of a comparison."""

    first = Text(max_length=200, help_text="The id of a run or a pushed evaluation, or a version.")
    second = Text(max_length=200, help_text="The same, minus which the difference is.")


class NewEvaluationSerializer(Body):
    """The model and the suite."""

    model = Text(max_length=MAX_MODEL)
    suite = Text(max_length=40, required=False, default=suite.FULL)
