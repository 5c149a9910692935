"""Rewards of replayed rollouts beside their first rewards. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from envyard.card.evidence import name
from envyard.contract.replay import Replay, agree
from envyard.contract.runner_events import RolloutResult

NAMED, LISTED = 3, 20  # differing rollouts in the sentence, and in a finding's details


@dataclass(frozen=True, slots=True)
class Rescored:
    """Rollouts with both rewards: those that agree and those that do not, in the run's order.

    `left_out` counts the reasons for which others could not be compared; `diverging` are those that
    agree although the replay's conversation differs.
    """

    agreeing: tuple[RolloutResult, ...]
    differing: tuple[RolloutResult, ...]
    diverging: tuple[RolloutResult, ...]
    left_out: dict[str, int]

    @property
    def n(self) -> int:
        """The number of rollouts that were compared."""
        return len(self.agreeing) + len(self.differing)

    @property
    def pairs(self) -> dict[str, list[float | None]]:
        """Both rewards of the first rollouts that differ."""
        first = self.differing[:LISTED]
        return {name(r): [r.reward, r.replay.reward if r.replay else None] for r in first}

    @property
    def sentence(self) -> str:
        """The numbers in words, naming the first that differ."""
        parts = ["no rollout was replayed"]
        if self.n or self.left_out:
            played = "when replayed with the recorded replies"
            parts = [f"{len(self.agreeing)} of {self.n} rollouts got the same reward {played}"]
        parts += [comparison(rollout) for rollout in self.differing[:NAMED]]
        if len(self.differing) > NAMED:
            parts += [f"{len(self.differing) - NAMED} more differ"]
        if self.diverging:
            replay = self.diverging[0].replay
            first = f"{name(self.diverging[0])}{_divergence(replay)}" if replay else ""
            parts += [f"{len(self.diverging)} agree although the conversation changed: {first}"]
        parts += [f"{count} left out: {reason}" for reason, count in sorted(self.left_out.items())]
        return "; ".join(parts)


def rescored(rollouts: Sequence[RolloutResult]) -> Rescored:
    """Compare what can be compared; a rollout that is left out counts neither way."""
    played = [(r, r.replay) for r in rollouts if r.replay is not None]
    compared = [(r, replay) for r, replay in played if not replay.left_out and r.reward is not None]
    differing = tuple(r for r, replay in compared if not agree(r.reward, replay.reward))
    agreeing = [(r, replay) for r, replay in compared if agree(r.reward, replay.reward)]
    return Rescored(
        agreeing=tuple(r for r, _ in agreeing),
        differing=differing,
        diverging=tuple(r for r, replay in agreeing if replay.diverged or replay.judge_diverged),
        left_out=dict(Counter(replay.left_out for _, replay in played if replay.left_out)),
    )


def comparison(rollout: RolloutResult) -> str:
    """Both rewards of one rollout in words, and whether its conversation had changed by then."""
    replay = rollout.replay or Replay()
    second = f"failed ({replay.error[:200]})" if replay.reward is None else f"got {replay.reward:g}"
    parts = [
        f"{part} {first['score']:g}, then {replay.rewards[part]['score']:g}"
        for part, first in rollout.rewards.items()
        if part in replay.rewards and replay.rewards[part] != first
    ]
    parts_text = f" ({', '.join(parts)})" if parts else ""
    divergence = _divergence(replay) or ", with the same conversation"
    return f"{name(rollout)} got {rollout.reward:g}, then {second}{parts_text}{divergence}"


def _divergence(replay: Replay) -> str:
    """The judge calls, or the first call, that differ from the record; empty where none does."""
    if replay.judge_diverged:
        return (
            f", {replay.judge_diverged} of its judge calls not being recorded: "
            f"{replay.judge_asked!r}"
        )
    if not replay.diverged:
        return ""
    return f", its call {replay.diverged} being another: {replay.asked!r}"
