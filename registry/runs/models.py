"""Runs, their rollouts and logs. The row is the truth; a Celery message only announces work."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Self

from django.db import models
from django.db.models import F, Q, QuerySet

from envyard.contract.task_indexes import part_of
from registry.accounts.models import Owner, Runner, User
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment, Version
from registry.runs.suite_models import Suite

LEASED = ("leased", "preparing", "running", "scoring")
ACTIVE = ("queued", "sharded", *LEASED)


# What summaries of runs read; with facts and READMEs rows may have hundreds of kilobytes.
SUMMARISED = (
    *("version__environment__owner__name", "version__environment__name", "version__version"),
    *("runner__name", "suite__name", "suite__digest", "purpose", "status", "attempt", "policies"),
    *("model", "tasks", "attempts", "last_seq", "done", "total"),
    *("created_at", "started_at", "ended_at"),
)


class RunQuerySet(QuerySet["Run"]):
    """Runs, or rows that runners lease."""

    def deciding(self) -> Self:
        """Those by which versions are listed, rejected or held."""
        return self.filter(purpose="listing")

    def for_summary(self) -> Self:
        """With the columns alone that summaries show."""
        rows = self.select_related("version__environment__owner", "runner", "suite")
        return rows.only(*SUMMARISED)

    def of_versions_visible_to(self, actor: Actor) -> Self:
        """Those of versions that the actor may see, by an EXISTS for each run: for an IN, SQLite
        reads all versions first, also for the few runs under way."""
        visible = Version.objects.visible_to(actor)
        return self.filter(models.Exists(visible.filter(pk=models.OuterRef("version_id"))))


_RunManager = models.Manager.from_queryset(RunQuerySet)


class WholeRunManager(_RunManager["Run"]):
    """Runs without the shards of them, which no list of runs shows."""

    def get_queryset(self) -> RunQuerySet:
        """Rows without a parent, by a condition for which SQLite does not take the index of
        parents, in which nearly all rows have none."""
        return RunQuerySet(self.model, using=self._db).exclude(parent__isnull=False)


class Run(models.Model):
    """One evaluation of one version by some policies, in one sandbox on one runner.

    Writes of a runner must match (`id`, `attempt`); `last_seq` makes its batches idempotent.
    `environment` is its version's, which never changes: a column so that an index holds the newest
    runs of an environment. `facts` is the contract's Facts in JSON. `owner` is the owner whose
    share of the queue the run uses, `turn` its number among that owner's runs, and `priority`
    orders all queued runs, lowest first (`runs.queue`). A queued run is leased no earlier than
    `not_before`. `pythons` lists the Pythons that it may use (`runs.pythons`), empty: any. `needs`
    lists the kinds of needs by which runners are chosen (`runs.provided`), and `provided` is what
    its last attempt had of them. A run of purpose `listing` decides on its version; an `evaluation`
    measures a model on a listed one, and a `remeasured` one measures a listed version again
    (`remeasurements`). `suite` is null for runs from before suites.

    An evaluation of many rollouts is `sharded`: rows with it as `parent` are leased in its place,
    each for `tasks` tasks from `first_task` on. Their rollouts belong to the parent. `objects`
    leaves such rows out, `with_shards` has them (docs/decisions/0076).
    """

    class Purpose(models.TextChoices):
        LISTING = "listing"
        EVALUATION = "evaluation"
        REMEASUREMENT = "remeasured"

    class Status(models.TextChoices):
        QUEUED = "queued"
        SHARDED = "sharded"
        LEASED = "leased"
        PREPARING = "preparing"
        RUNNING = "running"
        SCORING = "scoring"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        ERRORED = "errored"
        CANCELLED = "cancelled"

    LEASED_STATES = (Status.LEASED, Status.PREPARING, Status.RUNNING, Status.SCORING)
    ACTIVE = (Status.QUEUED, Status.SHARDED, *LEASED_STATES)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="runs")
    environment = models.ForeignKey(
        Environment, on_delete=models.PROTECT, related_name="runs", db_index=False
    )
    owner = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="+")
    turn = models.PositiveBigIntegerField(default=0)
    priority = models.PositiveBigIntegerField(default=0)
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.LISTING)
    suite = models.ForeignKey(Suite, null=True, on_delete=models.PROTECT, related_name="runs")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=1)
    parent = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="+")
    policies = models.JSONField()
    model = models.CharField(max_length=200, blank=True)
    first_task = models.PositiveIntegerField(default=0)
    tasks = models.PositiveIntegerField()
    attempts = models.PositiveSmallIntegerField()
    seed = models.BigIntegerField(default=0)
    pythons = models.CharField(max_length=120, blank=True)
    needs = models.CharField(max_length=60, blank=True)
    provided = models.JSONField(default=dict)
    requested_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    runner = models.ForeignKey(Runner, null=True, on_delete=models.SET_NULL, related_name="runs")
    lease_expires_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    last_notified_at = models.DateTimeField(null=True)
    not_before = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    last_seq = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    facts = models.JSONField(default=dict)

    objects = WholeRunManager()
    with_shards = RunQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        constraints = (
            models.UniqueConstraint(
                fields=("version",),
                condition=Q(purpose="listing", status__in=ACTIVE),
                name="one_active_run_a_version",
            ),
            models.UniqueConstraint(
                fields=("version", "model", "suite"),
                condition=Q(purpose="evaluation", status__in=ACTIVE, parent=None),
                name="one_active_evaluation_a_model",
            ),
            models.UniqueConstraint(fields=("parent", "first_task"), name="shards_do_not_overlap"),
            models.CheckConstraint(
                condition=Q(parent=None, first_task=0)
                | Q(parent__isnull=False, purpose="evaluation"),
                name="shards_are_parts_of_evaluations",
            ),
            models.CheckConstraint(
                condition=~Q(status="sharded") | Q(parent=None, runner=None, purpose="evaluation"),
                name="sharded_runs_have_no_lease",
            ),
            models.UniqueConstraint(
                fields=("version",),
                condition=Q(purpose="remeasured", status__in=ACTIVE),
                name="one_active_remeasurement",
            ),
            models.CheckConstraint(
                condition=Q(purpose__in=("listing", "evaluation", "remeasured"))
                & (Q(purpose="listing") | Q(suite__isnull=False)),
                name="evaluations_name_their_suite",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=LEASED)
                | Q(lease_expires_at__isnull=False, runner__isnull=False),
                name="leased_runs_have_a_lease",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=("succeeded", "failed", "errored", "cancelled"),
                    ended_at__isnull=False,
                )
                | Q(status__in=ACTIVE, ended_at__isnull=True),
                name="ended_runs_have_an_end",
            ),
            models.CheckConstraint(
                condition=~Q(status="queued") | Q(lease_expires_at__isnull=True),
                name="queued_runs_have_no_lease",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=LEASED) | Q(started_at__isnull=False),
                name="leased_runs_have_a_start",
            ),
            models.CheckConstraint(
                condition=Q(attempt__gte=1, attempts__gte=1, tasks__gte=1),
                name="runs_try_something",
            ),
            models.CheckConstraint(condition=Q(seed__gte=0), name="seeds_are_not_negative"),
            models.CheckConstraint(
                condition=Q(priority__gte=F("turn")), name="run_priority_is_at_least_its_turn"
            ),
        )
        indexes = (
            models.Index(fields=("status", "lease_expires_at"), name="run_by_lease"),
            models.Index(fields=("status", "priority", "created_at"), name="run_by_priority"),
            models.Index(fields=("status", "model", "priority", "created_at"), name="run_by_model"),
            models.Index(fields=("status", "created_at"), name="run_by_age"),
            models.Index(fields=("owner", "status", "turn"), name="run_by_turn"),
            # Else the newest of 10,000 versions are sorted with a look at each run.
            models.Index(fields=("version", "-created_at", "id", "parent"), name="run_by_version"),
            # The same of an environment, whose page lists the runs of thousands of versions.
            models.Index(fields=("environment", "-created_at", "id", "parent"), name="run_by_env"),
            # All columns of the newest results of a suite: no run is read for them.
            models.Index(
                fields=("suite", "status", "-created_at", "model", "version", "parent", "id"),
                name="result_by_suite",
            ),
        )

    def __str__(self) -> str:
        return str(self.id)

    @property
    def is_evaluation(self) -> bool:
        """Whether it measures a model on a listed version, and decides on nothing."""
        return self.purpose == self.Purpose.EVALUATION

    @property
    def kind(self) -> str:
        """The first word of its events in the journal."""
        return "shard" if self.parent_id else "run"

    @property
    def is_active(self) -> bool:
        """Not ended yet."""
        return self.status in self.ACTIVE

    @property
    def named_tasks(self) -> tuple[int, ...]:
        """The indexes that its suite names, ascending; () where the suite takes the first tasks.
        Of an evaluation it costs a query unless the suite was selected."""
        return self.suite.frozen.indexes if self.is_evaluation and self.suite else ()

    @property
    def task_indexes(self) -> Sequence[int]:
        """The indexes of its tasks, ascending; of those there are at most."""
        return part_of(self.named_tasks, self.first_task, self.tasks)

    @property
    def own_rollouts(self) -> QuerySet[Rollout]:
        """Its rollouts; of a shard, those of its tasks among its parent's."""
        if self.parent_id is None:
            return self.rollouts.all()
        tasks = self.task_indexes
        rows = Rollout.objects.filter(run=self.parent_id)
        return rows.filter(task__gte=tasks[0], task__lte=tasks[-1])


class Rollout(models.Model):
    """One attempt at a task by one policy; `reward` is null where it failed, never zero.

    Its transcript is `length` bytes at `offset` of its pack; it has none where `pack` is null.
    `reasoning_tokens` are part of its completion tokens, null where the model server did not count
    them; the judge's calls, tokens and seconds are apart. `replay` is the contract's Replay in JSON
    where it was to be replayed, `rescored` the reward of that replay. `answer` is the normalised
    answer of a model's last reply, empty where that has none.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rollouts")
    policy = models.CharField(max_length=40)
    task = models.PositiveIntegerField()
    attempt = models.PositiveSmallIntegerField()
    ok = models.BooleanField()
    reward = models.FloatField(null=True)
    reward_text = models.CharField(max_length=64, blank=True)
    rewards = models.JSONField(default=dict)
    metrics = models.JSONField(default=dict)
    pack = models.ForeignKey(
        "registry.TranscriptPack", null=True, on_delete=models.RESTRICT, related_name="rollouts"
    )
    offset = models.PositiveBigIntegerField(default=0)
    length = models.PositiveIntegerField(default=0)
    conversations = models.PositiveIntegerField(default=0)
    answer = models.CharField(max_length=100, blank=True, default="", db_default="")
    shortened = models.BooleanField(default=False)
    turns = models.PositiveIntegerField(default=0)
    stop = models.CharField(max_length=100, blank=True)
    truncated = models.BooleanField(default=False)
    seconds = models.FloatField(default=0.0)
    scoring_seconds = models.FloatField(null=True)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    reasoning_tokens = models.PositiveIntegerField(null=True)
    calls = models.PositiveIntegerField(default=0)
    model_seconds = models.FloatField(default=0.0)
    judge_calls = models.PositiveIntegerField(default=0)
    judge_prompt_tokens = models.PositiveIntegerField(default=0)
    judge_completion_tokens = models.PositiveIntegerField(default=0)
    judge_seconds = models.FloatField(default=0.0)
    error = models.JSONField(null=True)
    rescored = models.FloatField(null=True)
    replay = models.JSONField(null=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("run", "policy", "task", "attempt"), name="one_rollout_an_attempt"
            ),
            models.CheckConstraint(
                condition=Q(ok=True) | Q(reward__isnull=True),
                name="failed_rollouts_have_no_reward",
            ),
            models.CheckConstraint(
                condition=Q(seconds__gte=0, model_seconds__gte=0)
                & (Q(scoring_seconds__isnull=True) | Q(scoring_seconds__gte=0)),
                name="rollouts_take_time",
            ),
            models.CheckConstraint(
                condition=Q(pack__isnull=True, length=0) | Q(pack__isnull=False, length__gt=0),
                name="packed_rollouts_have_a_place",
            ),
            models.CheckConstraint(
                condition=Q(rescored__isnull=True) | Q(replay__isnull=False),
                name="rescored_rollouts_were_replayed",
            ),
        )

    def __str__(self) -> str:
        return f"{self.policy}/{self.task}/{self.attempt}"
