"""What lists show of a card: few numbers, kept beside the measures so that a list reads no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

REWARD = "reward"  # the part of a histogram that is the whole reward


@dataclass(frozen=True, slots=True)
class CardSummary:
    """Counts of measures by status, and the numbers of a row.

    `floor` is the highest mean reward of a probe without the answer, `ceiling` that of the
    reference answer, `seconds` the 95th percentile of environment seconds a rollout, None where
    unknown. `model` is the first model of the card, empty without one, and `reward_bars` counts its
    rewards in equal steps from `reward_low` to `reward_high`.
    """

    passed: int = 0
    warned: int = 0
    failed: int = 0
    unknown: int = 0
    floor: float | None = None
    ceiling: float | None = None
    seconds: float | None = None
    model: str = ""
    reward_low: float | None = None
    reward_high: float | None = None
    reward_bars: list[int] = field(default_factory=list)

    @property
    def measures(self) -> int:
        """All of them."""
        return self.passed + self.warned + self.failed + self.unknown

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that the card stores."""
        return asdict(self)


def summary_of(
    measures: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]
) -> CardSummary:
    """The summary of a card's stored measures and model results, those of earlier rules too."""
    statuses = Counter(str(row.get("status")) for row in measures)
    values = {row.get("code"): row.get("value") for row in measures}
    first = results[0] if results else {}
    parts = {row["part"]: row["bars"] for row in first.get("reward_bars", ())}
    bars = parts.get(REWARD) or []
    return CardSummary(
        passed=statuses["pass"],
        warned=statuses["warn"],
        failed=statuses["fail"],
        unknown=statuses["unknown"],
        floor=values.get("floor"),
        ceiling=values.get("ceiling"),
        seconds=values.get("speed"),
        model=str(first.get("model", "")),
        reward_low=bars[0]["low"] if bars else None,
        reward_high=bars[-1]["high"] if bars else None,
        reward_bars=[int(bar["count"]) for bar in bars],
    )
