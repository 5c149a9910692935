"""How many rollouts were played again the way a trainer does, and why none were."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from envyard.contract.values import count, text

CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class TrainingFacts:
    """The rollouts of a run that were compared, and those of them that were paid otherwise.

    `reason` is why none could be compared; empty where some were.
    """

    rollouts: int
    differing: int = 0
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TrainingFacts:
        """Read an untrusted JSON form."""
        rollouts = count(data.get("rollouts"))
        differing = min(count(data.get("differing")), rollouts)
        return cls(rollouts, differing, text(data.get("reason"), CHARACTERS))
