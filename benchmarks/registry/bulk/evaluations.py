"""Evaluations of models on some of the generated environments, pushed ones, and a queue."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from benchmarks.registry.bulk.copying import Row, row
from benchmarks.registry.bulk.copying import write as copy
from benchmarks.registry.bulk.evidence import rollout, run_id, tasks_of
from envyard.contract.job import MODEL
from envyard.contract.runner_events import RolloutResult, Usage
from registry.accounts.models import Runner
from registry.catalog.models import Environment, Version
from registry.runs import suites
from registry.runs.models import Rollout, Run
from registry.self_reported.models import Evaluation

MODELS = {f"org/model-{size}b": size / 100 for size in (1, 4, 8, 14, 32, 70)}
EVERY = 100  # environments of which one is evaluated
TASKS, ATTEMPTS = 12, 2
FIRST = 1 << 64  # number of the first run, beyond those of the versions
UNDER_WAY, QUEUED = 5, 40


def write(random: Random) -> None:
    """Evaluate one of EVERY environments with each of MODELS, by the suite `full`."""
    suite = suites.built_in("full")
    listed = Environment.objects.listed().order_by("pk").select_related("owner")
    rows = list(listed[::EVERY])
    template = row(
        Run(
            version_id=0, environment_id=0, owner_id=0, purpose="evaluation", suite=suite,
            status="succeeded", policies=[MODEL], model="m", tasks=TASKS, attempts=ATTEMPTS,
            done=TASKS * ATTEMPTS, total=TASKS * ATTEMPTS, ended_at=timezone.now(),
            facts={"tasks": [asdict(task) for task in tasks_of(1, TASKS)]},
        )
    )  # fmt: skip
    numbers = itertools.count(FIRST)
    with transaction.atomic():
        runs, rollouts = [], []
        for environment, model in itertools.product(rows, MODELS):
            key = run_id(next(numbers))
            keys = {"id": key, "model": model, "version_id": environment.latest_id}
            holders = {"environment_id": environment.pk, "owner_id": environment.owner_id}
            runs.append(template | keys | holders)
            rollouts += [each | {"run_id": key} for each in _rollouts(random, MODELS[model])]
        copy(Run, runs)
        copy(Rollout, rollouts)
        Evaluation.objects.bulk_create(_pushed(rows, suite.digest))
        Run.objects.bulk_create(_active(rows, suite))


def _rollouts(random: Random, rate: float) -> Iterator[Row]:
    for task, attempt in itertools.product(range(TASKS), range(ATTEMPTS)):
        paid, usage = random.random() < rate, Usage(300, random.randint(50, 600), 1, 2.0)
        result = RolloutResult(
            MODEL, task, attempt, True, float(paid), turns=1, seconds=3.0, usage=usage
        )
        yield rollout(result)


def _pushed(rows: list[Environment], digest: str) -> Iterator[Evaluation]:
    """Two evaluations of each, as people push them."""
    for number, (environment, model) in enumerate(itertools.product(rows, list(MODELS)[:2])):
        yield Evaluation(
            id=UUID(int=FIRST + number), environment=environment, version_id=environment.latest_id,
            owner_id=environment.owner_id, created_by_id=environment.owner.user_id, is_public=True,
            status="completed", ended_at=timezone.now(), name=f"{model} on {environment.name}",
            model_name=model, metadata={"suite_digest": digest}, sample_count=40, rewarded=40,
            reward_sum=20.0,
        )  # fmt: skip


def _active(rows: list[Environment], suite: Any) -> Iterator[Run]:
    """Runs that wait and runs that a runner executes."""
    runner = Runner.objects.create(name="bulk", digest="b" * 64, last_seen_at=timezone.now())
    now = timezone.now()
    leased = {
        "status": "running", "runner": runner, "lease_expires_at": now + timedelta(days=1),
        "started_at": now, "done": 3, "total": 24,
    }  # fmt: skip
    for number, environment in enumerate(rows[: UNDER_WAY + QUEUED]):
        state: dict[str, Any] = leased if number < UNDER_WAY else {"status": "queued"}
        yield Run(
            id=UUID(int=2 * FIRST + number), version=Version(pk=environment.latest_id),
            environment=environment, owner_id=environment.owner_id, purpose="evaluation",
            suite=suite, policies=[MODEL], model="org/model-120b", tasks=TASKS, attempts=ATTEMPTS,
            turn=number, priority=number, **state,
        )  # fmt: skip
