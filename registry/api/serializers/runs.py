"""Runs, rollouts and samples; the runners' protocol."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.serializers import Serializer

from envyard.contract.job import JobSpec
from envyard.contract.lock import MAX_CHARACTERS, PLATFORM
from envyard.contract.runner_events import Events, Finish
from registry.accounts import runners
from registry.accounts.models import Runner
from registry.api.serializers.base import Body, SharedFieldsSerializer, contract, read_model
from registry.api.serializers.fields import Object, QueryFlag, QueryNumber, QueryWhole, Text, Whole
from registry.read_models.rollouts import RolloutDetail, RolloutSummary
from registry.read_models.runs import RunDetail, RunSummary
from registry.read_models.samples import Sample
from registry.runs.provided import BY_RUNNER, provided_kinds

MAX_POSITION = (1 << 63) - 1
MAX_TASK = (1 << 31) - 1


RunSerializer = read_model(RunSummary)
RunDetailSerializer = read_model(RunDetail)
RolloutSerializer = read_model(RolloutSummary)
RolloutDetailSerializer = read_model(RolloutDetail)
SampleSerializer = read_model(Sample)


class LogQuery(SharedFieldsSerializer):
    """Where a piece of a log begins."""

    after = QueryWhole(
        max_value=MAX_POSITION,
        default=0,
        help_text="Where to go on: `next` of the previous response.",
    )


class LogPieceSerializer(SharedFieldsSerializer):
    """A piece of the log; request the next one with `after` from `next`, until `ended`."""

    text = serializers.CharField()
    next = serializers.IntegerField()
    ended = serializers.BooleanField()


class RolloutQuery(SharedFieldsSerializer):
    """Which rollouts of a run."""

    policy = Text(required=False, help_text="Of that policy only.")
    task = QueryWhole(max_value=MAX_TASK, help_text="Of that task only, counted from 0.")
    ok = QueryFlag(required=False, help_text="Those that ended well, or those that failed.")
    min_reward = QueryNumber(required=False, help_text="With at least that reward.")
    max_reward = QueryNumber(required=False, help_text="With at most that reward.")


class OutOfServiceSerializer(SharedFieldsSerializer):
    """Why a runner takes no runs by its own decision; `check` is what its self-check found last."""

    since = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()
    check = serializers.CharField()


class RunnerSerializer(SharedFieldsSerializer):
    """A runner; `held` is the number of its runs under way, `ending` that it drains by its own
    decision, `away` that it has ended or sent no heartbeat for a minute."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    enabled = serializers.BooleanField()
    models = serializers.SerializerMethodField()
    pythons = serializers.SerializerMethodField()
    provides = serializers.SerializerMethodField()
    held = serializers.IntegerField()
    draining_since = serializers.DateTimeField(allow_null=True)
    ending = serializers.SerializerMethodField()
    away = serializers.SerializerMethodField()
    out_of_service = serializers.SerializerMethodField()
    last_seen_at = serializers.DateTimeField(allow_null=True)

    def get_models(self, runner: Runner) -> list[str]:
        """The models that it has ready."""
        return runners.models(runner)

    def get_pythons(self, runner: Runner) -> list[str]:
        """The Python versions that it offers."""
        return runners.pythons(runner)

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(BY_RUNNER)))
    def get_provides(self, runner: Runner) -> list[str]:
        """The needs of environments that it provides."""
        return sorted(provided_kinds(runner), key=BY_RUNNER.index)

    def get_ending(self, runner: Runner) -> bool:
        """Whether it drains by its own decision."""
        return runner.capabilities.get("draining") is True and not self.get_away(runner)

    def get_away(self, runner: Runner) -> bool:
        """Whether it has ended or sent no heartbeat for a minute."""
        return "away" in runners.state_names(runner)

    @extend_schema_field(OutOfServiceSerializer(allow_null=True))
    def get_out_of_service(self, runner: Runner) -> Any:
        """Why it takes no runs by its own decision."""
        reason = runners.out_of_service(runner)
        return None if reason is None else OutOfServiceSerializer(reason).data


class RunnerListSerializer(SharedFieldsSerializer):
    """All runners by name."""

    results = RunnerSerializer(many=True)


class PresenceSerializer(Serializer[Runner]):
    """How the hub sees the runner of a token, by its name; a draining one is given no new run."""

    runner = serializers.CharField(source="name")
    draining = serializers.SerializerMethodField()

    def get_draining(self, runner: Runner) -> bool:
        """Whether staff drain it."""
        return runner.draining_since is not None


class CapabilitiesSerializer(Body):
    """What the runner can do."""

    capabilities = Object(required=False, allow_null=True, default=None)


JobSerializer = contract(JobSpec)
EventsSerializer = contract(Events)
FinishSerializer = contract(Finish)


class LeaseSerializer(Serializer[Any]):
    """How long the lease holds now, and whether to stop."""

    lease_seconds = serializers.FloatField()
    cancel = serializers.BooleanField()


class OfferedLockSerializer(Body):
    """The lock that a runner resolved; null requests the one that holds."""

    attempt = Whole(min_value=1)
    platform = Text(pattern=PLATFORM)
    lock = Text(required=False, allow_null=True, default=None, max_length=MAX_CHARACTERS)


class LockTextSerializer(Serializer[Any]):
    """The lock to install, null where the version has none for that platform."""

    lock = serializers.CharField(allow_null=True)
