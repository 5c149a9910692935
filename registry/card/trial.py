"""The card of a run on an author's machine: computed, never stored.

Its rollouts are the author's claim, no evidence: the hub runs the version itself before it lists
it. The card applies the hub's measures and thresholds to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from envyard.card.evidence import Evidence
from envyard.card.measures import all_measures
from envyard.card.scores import by_policy
from envyard.card.verdict import findings_of
from envyard.contract.facts import Facts
from envyard.contract.replay import Replay, Replayed
from envyard.contract.runner_events import RolloutResult
from envyard.contract.values import count, record, records, text
from registry.runs import sanitize

MAX_ROLLOUTS = 500
MAX_TASKS = 100
MAX_POLICIES = 20


def card_of(run: dict[str, Any], required_policies: Sequence[str]) -> dict[str, Any]:
    """Measures, scores and findings of an untrusted run; never raises for its content."""
    evidence = _evidence(run)
    return {
        "measures": [measure.to_dict() for measure in all_measures(evidence)],
        "scores": [score.to_dict() for score in by_policy(evidence)],
        "findings": [asdict(finding) for finding in findings_of(evidence, required_policies)],
    }


def _evidence(run: dict[str, Any]) -> Evidence:
    declared = run.get("policies")
    names = (
        [text(name, 40) for name in declared[:MAX_POLICIES]] if isinstance(declared, list) else []
    )
    policies = tuple(dict.fromkeys(names))
    replays = {
        (replayed.policy, replayed.task, replayed.attempt): replayed.replay
        for replayed in map(Replayed.from_dict, records(run.get("replays"), MAX_ROLLOUTS))
    }
    rollouts = {
        (policies.index(rollout.policy), rollout.task, rollout.attempt): rollout
        for rollout in map(RolloutResult.from_dict, records(run.get("rollouts"), MAX_ROLLOUTS))
        if rollout.policy in policies
    }
    facts = Facts.from_dict(record(run.get("facts")))
    if facts.tasks is not None:
        facts = replace(facts, tasks=facts.tasks[:MAX_TASKS])
    return Evidence(
        policies=policies,
        tasks=min(count(run.get("tasks")), MAX_TASKS),
        attempts=max(1, count(run.get("attempts"))),
        facts=facts,
        rollouts=tuple(
            _rollout(rollouts[key], replays.get((policies[key[0]], *key[1:])))
            for key in sorted(rollouts)
        ),
    )


def _rollout(rollout: RolloutResult, replay: Replay | None) -> RolloutResult:
    """The rollout with finite numbers, as the rows of a run hold them."""
    reward, reward_text = sanitize.reward(rollout)
    scoring = rollout.scoring_seconds
    return replace(
        rollout,
        reward=reward,
        reward_text=reward_text,
        seconds=sanitize.seconds(rollout.seconds),
        scoring_seconds=None if scoring is None else sanitize.seconds(scoring),
        usage=replace(
            rollout.usage,
            model_seconds=sanitize.seconds(rollout.usage.model_seconds),
            judge_seconds=sanitize.seconds(rollout.usage.judge_seconds),
        ),
        replay=replay,
    )
