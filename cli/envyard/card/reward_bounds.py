"""Floor and ceiling: mean rewards of probes that do no work, and of reference answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from envyard.card import statistics
from envyard.card.evidence import Evidence, name, rewards
from envyard.card.scores import Score, bounds_of, score
from envyard.contract.answer_forms import AnswerForm
from envyard.contract.probes import ORACLE, PROBES, SHARED_WORDS, FloorLimit
from envyard.contract.runner_events import RolloutResult
from envyard.contract.scoring import Scoring

CEILING_SHARE = 0.9
CEILING_MARGIN = 0.3
NEARLY_FULL = 0.9
PARROT = "parrot"
WITHOUT_ANSWER = ("silent", "refusal")  # of the probes


@dataclass(frozen=True, slots=True)
class Floor:
    """The rewards of one policy that does no work, against the limit of its mean reward.

    `best_rollout` and `best_reward` are those of its best-paid rollout, `full_marks` what a right
    answer earns. `abstains`: the environment declares abstention, and the policy gives no answer.
    """

    score: Score
    best_rollout: str
    best_reward: float
    limit: float
    full_marks: float
    abstains: bool = False

    @property
    def excess(self) -> float:
        """How far the mean lies above the limit."""
        return (self.score.mean or 0.0) - self.limit

    @property
    def status(self) -> Literal["pass", "warn", "fail"]:
        """fail: paid beyond the limit on average, over enough rollouts; warn: beyond the lower
        bound, or once near full."""
        limit = limit_of(self.score.policy)
        if self.excess > 0 and limit.rejects and self.score.n >= limit.minimum:
            return "fail"
        if self.abstains:
            return "warn" if self.excess > 0 else "pass"
        high = (self.score.mean or 0.0) > limit.warning * self.full_marks
        once = limit.warn_on_single_payment and self.best_reward >= NEARLY_FULL * self.full_marks
        return "warn" if high or once else "pass"

    @property
    def sentence(self) -> str:
        """The numbers in words, naming the best-paid rollout."""
        return (
            f"{self.score.policy} is paid {self.score.mean:.3g} on average over "
            f"{self.score.n} rollouts, at most {self.limit:.3g} is allowed "
            f"(full marks: {self.full_marks:.3g}); {self.best_rollout} got {self.best_reward:.3g}"
        )


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The rewards of reference answers. `enforced`: the environment's own oracle() gave them;
    `form` is that in which answer fields were given."""

    score: Score
    minimum: float
    enforced: bool
    form: AnswerForm | None = None

    @property
    def status(self) -> Literal["pass", "warn", "fail"]:
        """Below the minimum an oracle() fails and an answer field, which may lack the form that
        the verifier requires, warns."""
        if self.score.mean is not None and self.score.mean >= self.minimum:
            return "pass"
        return "fail" if self.enforced else "warn"

    @property
    def is_unverified(self) -> bool:
        """Whether too little was paid for answer fields, and in no form more than in others."""
        return self.status != "pass" and self.form is not None and not self.form.is_paid

    @property
    def sentence(self) -> str:
        """The numbers in words."""
        source = "the environment's oracle()" if self.enforced else self._answer_field
        paid = "nothing" if self.score.mean is None else f"{self.score.mean:.3g} on average"
        return (
            f"{source} is paid {paid} over {self.score.n} rollouts"
            f"{f', {self.score.failed} failed' if self.score.failed else ''}; "
            f"at least {self.minimum:.3g} is expected"
        )

    @property
    def _answer_field(self) -> str:
        """The answer field and its form; unverified where no form was paid."""
        if self.form is None:
            return "the answer field"
        field = f"the field {self.form.field!r}" if self.form.field else "the answer field"
        if self.form.is_paid:
            return f"{field} as {self.form.form!r}, the best paid of {self.form.tried} forms,"
        source = f"{field}, of which no form of {self.form.tried} was paid more than others,"
        return f"unverified: {source}" if self.is_unverified else source


def limit_of(policy: str) -> FloorLimit:
    """The floor limit of a probe that does no work; raises KeyError for any other policy."""
    limit = PROBES[policy].floor
    if limit is None:
        raise KeyError(policy)
    return limit


def floor(evidence: Evidence) -> list[Floor]:
    """One Floor for each probe that does no work and was scored, in the run's order.

    Rollouts in which it happened to give the right reply (abstention, an echo) do not count. A
    declared echo is paid for the prompt, so `parrot` does work there; a declared abstention may
    pay replies without an answer up to the limit of shared words. All other limits stand.
    """
    full, bounds = full_marks(evidence), bounds_of(evidence)
    right, scoring = set(evidence.facts.right_replies or ()), evidence.facts.scoring or Scoring()
    floors = []
    for policy in evidence.policies:
        if scoring.echo and policy == PARROT:
            continue
        abstains = scoring.abstention and policy in WITHOUT_ANSWER
        played = [r for r in evidence.of(policy) if name(r) not in right and _worked(r)]
        scored = [r for r in played if r.ok and r.reward is not None]
        if policy in PROBES and PROBES[policy].floor and scored:
            best = max(scored, key=lambda r: r.reward or 0.0)
            floors.append(
                Floor(
                    score=score(policy, played, bounds),
                    best_rollout=name(best),
                    best_reward=max(rewards(scored)),
                    limit=(SHARED_WORDS if abstains else limit_of(policy).share)
                    * max(full, _declared_top(evidence)),
                    full_marks=full,
                    abstains=abstains,
                )
            )
    return floors


def _worked(rollout: RolloutResult) -> bool:
    """Whether a probe that calls tools could, or replied with a statement: else it was silent."""
    probe = PROBES.get(rollout.policy)
    spoke = rollout.turns > 1 or rollout.usage.completion_tokens > 0
    return probe is None or not probe.calls_tools or spoke


def ceiling(evidence: Evidence) -> Ceiling | None:
    """The reference answers' rewards; None where the oracle has no rollout, unless it was planned
    for tasks with an oracle(), and where the field of the answers was a guess that no reward
    confirmed.

    The minimum is nine tenths of the weights' sum, or three tenths of it above the best-paid
    probe: no policy wins every game, and weights may exclude one another.
    """
    hooked = _tasks_with_oracle(evidence)
    enforced = bool(hooked) and ORACLE in evidence.policies
    answers = [r for r in evidence.of(ORACLE) if r.task in hooked or not enforced]
    form = None if enforced else evidence.facts.answer_form
    refuted = form is not None and form.is_refuted and not any(rewards(answers))
    if not enforced and (not answers or refuted):
        return None
    marks = weight_sum(evidence)
    best_floor = max((f.score.mean or 0.0 for f in floor(evidence)), default=0.0)
    minimum = min(CEILING_SHARE * marks, best_floor + CEILING_MARGIN * marks)
    bounds = bounds_of(evidence)
    return Ceiling(score(ORACLE, answers, bounds), minimum, enforced, form)


def full_marks(evidence: Evidence) -> float:
    """What a right answer earns: the oracle()'s mean where that is paid, else the weights' sum, or
    the mean of answer fields where that is more."""
    hooked = _tasks_with_oracle(evidence)
    mean = statistics.mean(rewards([r for r in evidence.of(ORACLE) if r.task in hooked]))
    if mean is not None and mean > 0:
        return mean
    answers = statistics.mean(rewards(evidence.of(ORACLE)))
    return max(weight_sum(evidence), answers or 0.0)


def _declared_top(evidence: Evidence) -> float:
    """The declared highest reward, where no reference answer shows what a right one earns; then
    it limits what rejects, and what the run showed still warns."""
    scoring = evidence.facts.scoring
    if scoring is None or scoring.reward is None or rewards(evidence.of(ORACLE)):
        return 0.0
    return scoring.reward[1]


def weight_sum(evidence: Evidence) -> float:
    """The largest sum of positive weights in a rollout, 1 where there are none; never more than
    the best reward seen or 1, so that a huge weight on a tiny score hides nothing."""
    scored = [r for r in evidence.rollouts if r.ok]
    sums = [sum(max(0.0, part["weight"]) for part in r.rewards.values()) for r in scored]
    largest = max(sums, default=0.0)
    best_reward = max(rewards(scored), default=0.0)
    return min(largest, max(best_reward, 1.0)) if largest > 0 else 1.0


def _tasks_with_oracle(evidence: Evidence) -> set[int]:
    """The tasks whose reference answer is the environment's own oracle()."""
    return {task.index for task in evidence.facts.tasks or () if task.hook}
