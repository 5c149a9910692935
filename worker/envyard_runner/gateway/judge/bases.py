"""The rollouts that called a judge and are played again with other verdicts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.reply import Reply
from envyard_runner.probing.chat_text import plain_text

MAX_BASES = 2  # rollouts with the highest rewards, and as many with the lowest


@dataclass(frozen=True, slots=True)
class Base:
    """A rollout that called the judge: its reward, its record and its verdicts in their order."""

    rollout: str
    reward: float
    transcript: Transcript
    verdicts: tuple[Reply, ...]

    @property
    def replies(self) -> list[str]:
        """The texts of the policy."""
        messages = (node.message for node in self.transcript.nodes)
        return [plain_text(m["content"]) for m in messages if m.get("role") == "assistant"]


@dataclass(slots=True)
class Bases:
    """The best and the worst paid rollouts that called the judge and can be repeated."""

    best: list[Base] = field(default_factory=list)
    worst: list[Base] = field(default_factory=list)

    def add(self, base: Base) -> None:
        """Keep the rollout if it is among them."""
        self.best = sorted([*self.best, base], key=lambda b: -b.reward)[:MAX_BASES]
        self.worst = sorted([*self.worst, base], key=lambda b: b.reward)[:MAX_BASES]

    def all(self) -> list[Base]:
        """Each of them once."""
        return list({base.rollout: base for base in (*self.best, *self.worst)}.values())

    @property
    def extremes(self) -> tuple[Base, Base] | None:
        """The best and the worst paid, whose verdicts are known to be favourable and not; None
        where all have the same reward or verdicts."""
        if not self.best or self.best[0].reward <= self.worst[0].reward:
            return None
        best, worst = self.best[0], self.worst[0]
        return None if _texts(best) == _texts(worst) else (best, worst)

    def donor(self, base: Base) -> Base | None:
        """The rollout with the most different reward, whose verdicts differ."""
        others = [other for other in self.all() if _texts(other) != _texts(base)]
        return max(others, key=lambda other: abs(other.reward - base.reward), default=None)


def _texts(base: Base) -> Counter[str]:
    return Counter(str(verdict.message) for verdict in base.verdicts)
