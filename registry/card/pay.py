"""Who is paid what: the probes that do no work, and the reference answers. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from registry.card import statistics
from registry.card.evidence import Evidence, name, rewards
from registry.card.scores import Score, score

# Of full marks. Noise and silence show nothing, so they earn next to nothing. An echo of the
# prompt and another task's answer may share words with the right one, so partial credit is theirs.
BLANK_AT_MOST = 0.25
SHAPED_AT_MOST = 0.75
ALLOWED = {
    "silent": BLANK_AT_MOST,
    "babble": BLANK_AT_MOST,
    "parrot": SHAPED_AT_MOST,
    "swapped": SHAPED_AT_MOST,
}
CEILING_SHARE = 0.9
CEILING_MARGIN = 0.3


@dataclass(frozen=True, slots=True)
class Floor:
    """What one policy that does no work is paid, against what it may be paid on average."""

    score: Score
    best: str
    most: float
    allowed: float
    full: float

    @property
    def excess(self) -> float:
        """How far the mean lies above what is allowed."""
        return (self.score.mean or 0.0) - self.allowed

    @property
    def status(self) -> Literal["pass", "warn", "fail"]:
        """fail: paid beyond the bound on average; warn: beyond a quarter, or once near full."""
        if self.excess > 0:
            return "fail"
        high = (self.score.mean or 0.0) > BLANK_AT_MOST * self.full
        once = ALLOWED[self.score.policy] == BLANK_AT_MOST and self.most >= 0.9 * self.full
        return "warn" if high or once else "pass"

    @property
    def sentence(self) -> str:
        """The numbers in words, naming the best-paid rollout."""
        return (
            f"{self.score.policy} is paid {self.score.mean:.3g} on average over "
            f"{self.score.n} rollouts, at most {self.allowed:.3g} is allowed "
            f"(full marks: {self.full:.3g}); {self.best} got {self.most:.3g}"
        )


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What reference answers are paid. `enforced`: the environment's own oracle() gave them."""

    score: Score
    wanted: float
    enforced: bool

    @property
    def status(self) -> Literal["pass", "warn", "fail"]:
        """Below what is wanted an oracle() fails and an answer field, which may lack the form that
        the verifier asks for, warns."""
        if self.score.mean is not None and self.score.mean >= self.wanted:
            return "pass"
        return "fail" if self.enforced else "warn"

    @property
    def sentence(self) -> str:
        """The numbers in words."""
        source = "the environment's oracle()" if self.enforced else "the answer field"
        paid = "nothing" if self.score.mean is None else f"{self.score.mean:.3g} on average"
        return (
            f"{source} is paid {paid} over {self.score.n} rollouts"
            f"{f', {self.score.failed} failed' if self.score.failed else ''}; "
            f"at least {self.wanted:.3g} is expected"
        )


def floor(evidence: Evidence) -> list[Floor]:
    """One Floor for each probe that does no work and was scored, in the run's order."""
    full = full_marks(evidence)
    floors = []
    for policy in evidence.policies:
        own = [r for r in evidence.of(policy) if r.ok and r.reward is not None]
        if policy in ALLOWED and own:
            best = max(own, key=lambda r: r.reward or 0.0)
            floors.append(
                Floor(
                    score(policy, evidence.of(policy)),
                    name(best),
                    max(rewards(own)),
                    ALLOWED[policy] * full,
                    full,
                )
            )
    return floors


def ceiling(evidence: Evidence) -> Ceiling | None:
    """What the oracle is paid; None where it was not asked.

    Enough is nine tenths of what the weights add up to, or three tenths above the best-paid
    probe: no policy wins every game, and weights may exclude one another.
    """
    asked = evidence.of("oracle")
    hooked = {task.index for task in evidence.facts.tasks or () if task.hook}
    enforced = bool(hooked) and "oracle" in evidence.policies
    own = [r for r in asked if r.task in hooked] if enforced else list(asked)
    if not own and not enforced:
        return None
    marks = weighed_marks(evidence)
    nothing = max((f.score.mean or 0.0 for f in floor(evidence)), default=0.0)
    wanted = min(CEILING_SHARE * marks, nothing + CEILING_MARGIN * marks)
    return Ceiling(score("oracle", own), wanted, enforced)


def full_marks(evidence: Evidence) -> float:
    """What a right answer earns: the oracle()'s mean where that is paid, else the weights' sum."""
    hooked = {task.index for task in evidence.facts.tasks or () if task.hook}
    paid = statistics.mean(rewards([r for r in evidence.of("oracle") if r.task in hooked]))
    return paid if paid is not None and paid > 0 else weighed_marks(evidence)


def weighed_marks(evidence: Evidence) -> float:
    """The largest sum of positive weights in a rollout, 1 where there are none; never more than
    the best reward seen or 1, so that a huge weight on a tiny score hides nothing."""
    scored = [r for r in evidence.rollouts if r.ok]
    sums = [sum(max(0.0, part["weight"]) for part in r.rewards.values()) for r in scored]
    weighed = max(sums, default=0.0)
    seen = max(rewards(scored), default=0.0)
    return min(weighed, max(seen, 1.0)) if weighed > 0 else 1.0
