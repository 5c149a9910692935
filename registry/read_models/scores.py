"""Scores of many runs in one query, kept with the card; else computed in two more and cached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from django.core.cache import caches

from envyard.card.evidence import Evidence, name
from envyard.card.scores import by_policy
from envyard.contract.facts import Facts
from envyard.contract.runner_events import RolloutResult
from envyard.contract.scoring import Scoring
from envyard.contract.values import record
from registry.card.models import Card
from registry.runs.models import Rollout, Run

Scores = list[dict[str, Any]]
SECONDS = 3600
cache = caches["local"]
# Of a run, what its scores depend on.
COLUMNS = ("attempt", "last_seq", "status", "policies", "tasks", "attempts")


def of_runs(runs: Iterable[Run]) -> dict[UUID, Scores]:
    """Run id -> one score a policy, in the order of the run's policies."""
    by_id = {run.pk: run for run in runs}
    scores: dict[UUID, Scores] = dict(
        Card.objects.filter(run__in=by_id).values_list("run_id", "scores")
    )
    keys = {_key(run): pk for pk, run in by_id.items() if not scores.get(pk)}
    cached = cache.get_many(keys)
    scores |= {keys[key]: rows for key, rows in cached.items()}
    missing = {pk: key for key, pk in keys.items() if key not in cached}
    if missing:
        computed = _compute(by_id, missing)
        cache.set_many({missing[pk]: rows for pk, rows in computed.items()}, SECONDS)
        scores |= computed
    return scores


def _key(run: Run) -> str:
    """Changes with every batch of events, so a stale score is never read."""
    return f"scores-{run.pk}-{run.attempt}-{run.last_seq}-{run.status}"


def _compute(by_id: dict[UUID, Run], wanted: Collection[UUID]) -> dict[UUID, Scores]:
    rows: dict[UUID, list[RolloutResult]] = defaultdict(list)
    columns = ("pk", "facts__not_counted", "facts__scoring")
    runs = Run.with_shards.filter(pk__in=wanted)
    facts = {pk: row for pk, *row in runs.values_list(*columns)}
    fields = ("run_id", "policy", "task", "attempt", "ok", "reward")
    for run_id, *values in Rollout.objects.filter(run__in=wanted).values_list(*fields):
        result = RolloutResult(*values)
        if name(result) not in (facts[run_id][0] or ()):
            rows[run_id].append(result)
    return {
        pk: [
            score.to_dict()
            for score in sorted(
                by_policy(_evidence(by_id[pk], rows[pk], facts[pk][1])),
                key=lambda score: _place(by_id[pk], score.policy),
            )
        ]
        for pk in wanted
    }


def _evidence(run: Run, rollouts: list[RolloutResult], scoring: object) -> Evidence:
    """What scores are computed from: the rollouts that count, and the declared scoring."""
    facts = Facts(scoring=Scoring.from_dict(record(scoring)))
    return Evidence(tuple(run.policies), run.tasks, run.attempts, facts, tuple(rollouts))


def _place(run: Run, policy: str) -> int:
    policies = list(run.policies)
    return policies.index(policy) if policy in policies else len(policies)
