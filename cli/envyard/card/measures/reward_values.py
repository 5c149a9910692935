"""Reward values: whether rewards are finite numbers and lie within the allowed range."""

from __future__ import annotations

from dataclasses import replace

from envyard.card.evidence import Evidence, name
from envyard.card.measures.completion import not_finite
from envyard.card.measures.definition import (
    MeasureDefinition,
    Reading,
    Status,
    share_of_rollouts,
)

MINIMUM_REWARD, MAXIMUM_REWARD = -1.0, 2.0
LARGEST_REWARD = 100.0  # without a declaration
ROUNDING = 1e-6


def reward_finite(evidence: Evidence) -> Reading:
    """The share of scored rollouts whose reward is a finite number."""
    scored = [r for r in evidence.rollouts if r.ok or not_finite(r)]
    invalid = [r for r in scored if r.reward is None]
    finite = len(scored) - len(invalid)
    detail = f"{finite} of {len(scored)} rewards are finite numbers"
    if invalid:
        first = invalid[0]
        returned = first.reward_text or (first.error or {}).get("message") or "no reward at all"
        detail += f"; {name(first)}: {returned[:300]}"
    return share_of_rollouts(
        ((r, r.reward is not None) for r in scored), "fail" if invalid else "pass", detail
    )


def reward_range(evidence: Evidence) -> Reading:
    """The share of rewards within the declared range, else within [MINIMUM_REWARD, MAXIMUM_REWARD].

    Outside a range that nobody declared a reward warns, up to LARGEST_REWARD: penalties for each
    step and marks out of ten are sound.
    """
    declared = evidence.facts.scoring.reward if evidence.facts.scoring else None
    low, high = declared or (MINIMUM_REWARD, MAXIMUM_REWARD)
    rewards = {name(r): r.reward for r in evidence.rollouts if r.ok and r.reward is not None}
    outside = {
        rollout: reward
        for rollout, reward in rewards.items()
        if not low - ROUNDING <= reward <= high + ROUNDING
    }
    detail = f"{low:g} to {high:g} is {'declared' if declared else 'usual'}"
    if rewards:
        minimum, maximum = min(rewards.values()), max(rewards.values())
        detail = f"rewards run from {minimum:g} to {maximum:g}; {detail}"
    if outside:
        rollout, reward = next(iter(outside.items()))
        detail += f"; {rollout} got {reward:g}"
    largest = max((abs(reward) for reward in outside.values()), default=0.0)
    failed: Status = "fail" if declared or largest > LARGEST_REWARD else "warn"
    within = ((r, name(r) not in outside) for r in evidence.rollouts if name(r) in rewards)
    reading = share_of_rollouts(within, failed if outside else "pass", detail)
    return replace(reading, source="declared") if declared else reading


REWARD_VALUES = (
    MeasureDefinition(
        code="reward_finite",
        rollouts="sort=-reward",
        title="Finite rewards",
        unit="share",
        threshold=1.0,
        source="claimed",
        read=reward_finite,
        question="Is every reward a finite number?",
        advice="Look for a division by zero, or a path that returns nothing.",
    ),
    MeasureDefinition(
        code="reward_range",
        rollouts="sort=-reward",
        title="Reward range",
        unit="share",
        threshold=1.0,
        source="claimed",
        read=reward_range,
        question="Do rewards lie within the declared range, or between -1 and 2?",
        advice="Divide by the largest total, or declare `reward = [LOW, HIGH]`.",
    ),
)
