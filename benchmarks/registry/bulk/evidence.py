"""Cards, runs, rollouts, facets, needs and events of generated environments.

A few cards are computed from made-up rollouts by the hub's own rules; each environment gets a copy
of one of them, because computing 100,000 would take hours.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from benchmarks.registry.bulk.copying import Row, row
from envyard.card.evidence import Evidence
from envyard.card.learnability import model_results
from envyard.card.measures import all_measures
from envyard.card.scores import by_policy
from envyard.contract.domains import domains_of
from envyard.contract.facts import Facts, TaskResult
from envyard.contract.job import MODEL
from envyard.contract.rules import RULES
from envyard.contract.runner_events import RolloutResult, Usage
from registry.card.facet_values import learnable_band
from registry.card.models import Card
from registry.card.summary import summary_of
from registry.catalog.models import Environment
from registry.catalog.related_models import VersionNeed
from registry.events import Event
from registry.runs.models import Rollout, Run

PROTOTYPES = 40
HUB_MODEL = "org/hub-model-8b"
PROBES = ("silent", "parrot", "oracle")
TASKS, ATTEMPTS = 16, 4
STORED = 6  # rollouts kept of each run: a million would fill the disk and show nothing more
WITHOUT_CARD = 0.1
TURNS, TOOLS, VERIFIERS = ("1", "2-5", "6+"), ("none", "none", "offered"), ("program", "judge")
SIZES = ("1-99", "100-999", "1000+", "endless")
NEEDS = ("data", "judge", "machine", "secret", "host")
VERBS = ("environment.created", "version.uploaded", "version.listed")


@dataclass(frozen=True, slots=True)
class Prototype:
    """The rows of one card, its run and its rollouts, and what its version holds of it."""

    run: Row
    card: Row
    rollouts: list[Row]
    learnability: float | None
    difficulty: str


class EvidenceRows(NamedTuple):
    """The rows of one environment's latest version."""

    runs: list[Row]
    cards: list[Row]
    rollouts: list[Row]
    needs: list[Row]
    events: list[Row]


def prototypes(random: Random) -> list[Prototype]:
    """Cards of environments from useless to good, a third of them without a model."""
    return [_prototype(random, with_model=number % 3 != 0) for number in range(PROTOTYPES)]


def _prototype(random: Random, *, with_model: bool) -> Prototype:
    solved = [random.random() ** 2 for _ in range(TASKS)]
    results = [
        _result(random, policy, task, paid=policy == "oracle")
        for policy in PROBES
        for task in range(TASKS)
    ]
    if with_model:
        results += [
            _result(random, MODEL, task, attempt, paid=random.random() < solved[task])
            for task in range(TASKS)
            for attempt in range(ATTEMPTS)
        ]
    policies = (*PROBES, MODEL) if with_model else PROBES
    facts = Facts(load_seconds=1.0, tasks=tasks_of(0), hashes_again=[t.hash for t in tasks_of(0)])
    evidence = Evidence(
        policies, TASKS, ATTEMPTS, facts, tuple(results), HUB_MODEL if with_model else ""
    )
    models = model_results(evidence, suite="smoke", probes=None)
    measures = [measure.to_dict() for measure in all_measures(evidence)]
    stored = [result.to_dict() for result in models]
    run = Run(
        version_id=0, environment_id=0, owner_id=0, status="succeeded", policies=list(policies),
        model=evidence.model, tasks=TASKS, attempts=ATTEMPTS, done=len(results),
        total=len(results), facts=facts.to_dict(), ended_at=datetime.now().astimezone(),
    )  # fmt: skip
    card = Card(
        version_id=0, run=run, measures=measures, rules=RULES, model_results=stored,
        scores=[score.to_dict() for score in by_policy(evidence)],
        summary=summary_of(measures, stored).to_dict(),
    )  # fmt: skip
    kept = results[: STORED // 2] + results[-STORED // 2 :]
    return Prototype(
        row(run),
        _new(card),
        [rollout(result) for result in kept],
        models[0].learnability if models else None,
        models[0].difficulty if models else "",
    )


def tasks_of(seed: int, count: int = TASKS) -> list[TaskResult]:
    """The tasks of an environment, as a run's facts hold them."""
    return [
        TaskResult(
            index=index,
            hash=hashlib.sha256(f"{seed} {index}".encode()).hexdigest(),
            prompt=f"Question {index}: what is {index} plus {index * index}?",
            reference=True,
            hook=True,
        )
        for index in range(count)
    ]


def _result(
    random: Random, policy: str, task: int, attempt: int = 0, *, paid: bool
) -> RolloutResult:
    seconds = random.uniform(0.1, 9.0)
    return RolloutResult(
        policy, task, attempt, True, float(paid),
        rewards={"right": {"score": float(paid), "weight": 1.0}}, turns=1 + attempt % 3,
        seconds=seconds, usage=Usage(200, random.randint(20, 400), 1, seconds / 2),
    )  # fmt: skip


def rollout(result: RolloutResult) -> Row:
    """The row of a rollout of some run."""
    return _new(
        Rollout(
            run_id=UUID(int=0), policy=result.policy, task=result.task, attempt=result.attempt,
            ok=result.ok, reward=result.reward, rewards=result.rewards, turns=result.turns,
            seconds=result.seconds, model_seconds=result.usage.model_seconds,
            prompt_tokens=result.usage.prompt_tokens, calls=result.usage.calls,
            completion_tokens=result.usage.completion_tokens,
        )
    )  # fmt: skip


def _new(instance: Any) -> Row:
    """The row without its key, which the database gives."""
    return {column: value for column, value in row(instance).items() if column != "id"}


def run_id(number: int) -> Any:
    """The key of the run of that number, as the database stores it."""
    return Run._meta.pk.get_db_prep_save(UUID(int=number), connection)  # noqa: SLF001


def facets_of(random: Random, prototype: Prototype, keywords: Sequence[str]) -> dict[str, Any]:
    """The values that `card.facet_values` would store."""
    values = {
        "domain": domains_of(keywords),
        "turns": random.choice(TURNS),
        "tools": random.choice(TOOLS),
        "verifier": VERIFIERS[random.random() < 0.2],
        "tasks": random.choice(SIZES),
        "learnable": learnable_band(prototype.learnability),
    }
    return {name: value for name, value in values.items() if value}


class Writer:
    """Makes the rows of one environment after another."""

    def __init__(self, random: Random) -> None:
        self._random, self._prototypes = random, prototypes(random)
        self._event, self._need = _new(Event(verb=VERBS[0])), _new(VersionNeed(kind=NEEDS[0]))

    def prototype(self) -> Prototype | None:
        """That of the next environment; None for one without a card."""
        if self._random.random() < WITHOUT_CARD:
            return None
        return self._random.choice(self._prototypes)

    def rows(
        self, environment: Environment, prototype: Prototype | None, *, actor: int | None
    ) -> EvidenceRows:
        """Those of its latest version, which it must have; its run has the version's number."""
        version, at = environment.latest_id, _adapted(environment.fresh_at)
        assert version is not None
        run = run_id(version)
        rows = EvidenceRows([], [], [], list(self._needs(version)), [])
        if prototype is not None:
            keys = {"id": run, "version_id": version, "environment_id": environment.pk}
            times = {"created_at": at, "started_at": at, "ended_at": at}
            rows.runs.append(prototype.run | keys | times | {"owner_id": environment.owner_id})
            rows.cards.append(prototype.card | {"version_id": version, "run_id": run})
            rows.rollouts.extend(each | {"run_id": run} for each in prototype.rollouts)
        rows.events.extend(
            self._event
            | {
                "at": at,
                "verb": verb,
                "actor_id": None if verb == "version.listed" else actor,
                "owner_id": environment.owner_id,
                "environment_id": environment.pk,
                "version_id": None if verb == VERBS[0] else version,
            }
            for verb in VERBS
        )
        return rows

    def _needs(self, version: int) -> Iterator[Row]:
        if self._random.random() < 0.15:
            kind = NEEDS[int(len(NEEDS) * self._random.random() ** 2)]
            yield self._need | {"version_id": version, "kind": kind}


def _adapted(at: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(at)
