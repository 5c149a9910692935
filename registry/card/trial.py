"""The card of a run that took place on an author's machine: computed, never kept.

The report is the author's own word. It shows what the hub's measures and thresholds make of such
rollouts; the hub believes none of it, and runs the version itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from envyard.contract.replay import Replay, Replayed
from envyard.contract.runner_events import Facts, RolloutResult
from envyard.contract.values import count, record, records, text
from registry.card.evidence import Evidence
from registry.card.measures import all_measures
from registry.card.scores import by_policy
from registry.card.verdict import findings_of
from registry.runs import sanitize

MOST_ROLLOUTS = 500
MOST_TASKS = 100
MOST_POLICIES = 20


def card_of(report: dict[str, Any], required_policies: Sequence[str]) -> dict[str, Any]:
    """Measures, scores and findings of an untrusted report; never raises for what it holds."""
    evidence = _evidence(report)
    return {
        "measures": [measure.to_dict() for measure in all_measures(evidence)],
        "scores": [score.to_dict() for score in by_policy(evidence.rollouts)],
        "findings": [asdict(found) for found in findings_of(evidence, required_policies)],
    }


def _evidence(report: dict[str, Any]) -> Evidence:
    given = report.get("policies")
    names = [text(name, 40) for name in given[:MOST_POLICIES]] if isinstance(given, list) else []
    policies = tuple(dict.fromkeys(names))
    replays = {
        (replayed.policy, replayed.task, replayed.attempt): replayed.replay
        for replayed in map(Replayed.from_dict, records(report.get("replays"), MOST_ROLLOUTS))
    }
    rollouts = {
        (policies.index(rollout.policy), rollout.task, rollout.attempt): rollout
        for rollout in map(RolloutResult.from_dict, records(report.get("rollouts"), MOST_ROLLOUTS))
        if rollout.policy in policies
    }
    facts = Facts.from_dict(record(report.get("facts")))
    if facts.tasks is not None:
        facts = replace(facts, tasks=facts.tasks[:MOST_TASKS])
    return Evidence(
        policies=policies,
        tasks=min(count(report.get("tasks")), MOST_TASKS),
        attempts=max(1, count(report.get("attempts"))),
        facts=facts,
        rollouts=tuple(
            _rollout(rollouts[key], replays.get((policies[key[0]], *key[1:])))
            for key in sorted(rollouts)
        ),
    )


def _rollout(one: RolloutResult, replay: Replay | None) -> RolloutResult:
    """With numbers of which sums can be made, as a run's rows hold them."""
    reward, reward_text = sanitize.reward(one)
    scoring = one.scoring_seconds
    return replace(
        one,
        reward=reward,
        reward_text=reward_text,
        seconds=sanitize.seconds(one.seconds),
        scoring_seconds=None if scoring is None else sanitize.seconds(scoring),
        usage=replace(one.usage, model_seconds=sanitize.seconds(one.usage.model_seconds)),
        replay=replay,
    )
