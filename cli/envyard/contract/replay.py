"""Replays: a rollout's second reward, from a replay with its recorded replies."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from envyard.contract.values import count, finite, record, text

MAX_PARTS = 50
# Sums in another order differ by rounding; the absolute bound is for rewards of about zero.
RELATIVE, ABSOLUTE = 1e-6, 1e-9


def parts_of(raw: Any) -> dict[str, dict[str, float]]:
    """The parts of a reward, each a score and its weight."""
    return {
        text(name, 80): {
            "score": finite(part.get("score")) or 0.0,
            "weight": finite(part.get("weight")) or 0.0,
        }
        for name, part in list(record(raw).items())[:MAX_PARTS]
        if isinstance(part, dict)
    }


def agree(first: float | None, second: float | None) -> bool:
    """Whether two rewards are there and the same but for rounding."""
    if first is None or second is None:
        return False
    return math.isclose(first, second, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying a rollout with the replies that the gateway had recorded.

    `reward` is None where the replay failed (`error` is how) and where there is nothing to compare
    (`left_out` is why). `diverged` is the number, from 1, of the first call that differs from the
    recorded one, and `asked` its last message; 0 where the conversation was the same.
    `judge_diverged` counts the judge calls that were not recorded, which got no verdict, and
    `judge_asked` is the last message of the first of them.
    """

    reward: float | None = None
    rewards: dict[str, dict[str, float]] = field(default_factory=dict)
    error: str = ""
    left_out: str = ""
    diverged: int = 0
    asked: str = ""
    judge_diverged: int = 0
    judge_asked: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Replay:
        """Read an untrusted JSON form."""
        return cls(
            reward=finite(data.get("reward")),
            rewards=parts_of(data.get("rewards")),
            error=text(data.get("error"), 1000),
            left_out=text(data.get("left_out"), 200),
            diverged=count(data.get("diverged")),
            asked=text(data.get("asked"), 300),
            judge_diverged=count(data.get("judge_diverged")),
            judge_asked=text(data.get("judge_asked"), 300),
        )


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replay and the rollout that was replayed."""

    policy: str
    task: int
    attempt: int
    replay: Replay

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Replayed:
        """Read an untrusted JSON form."""
        return cls(
            policy=text(data.get("policy"), 40),
            task=count(data.get("task")),
            attempt=count(data.get("attempt")),
            replay=Replay.from_dict(record(data.get("replay"))),
        )
