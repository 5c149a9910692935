"""What a policy would earn that gives one answer to every task."""

from __future__ import annotations

from envyard.card import statistics
from envyard.card.evidence import Evidence, name
from envyard.card.learnability.definition import (
    ModelEvidence,
    ModelMeasure,
    ModelMeasureDefinition,
    ModelReading,
    unknown,
)
from envyard.card.reward_bounds import full_marks
from envyard.card.scores import Score, bounds_of, score
from envyard.card.statistics import Interval
from envyard.contract.probes import ORACLE
from envyard.contract.survey import Survey

PROBE = "constant"
ENOUGH_ANSWERS = 20  # from which the most common answer of a part of the tasks is an estimate


def constant_reward(evidence: Evidence) -> ModelReading:
    """The mean reward of the best single answer, from a run with probes.

    The most common answer is right in its share of the surveyed tasks and earns full marks there;
    elsewhere it earns what the probe `constant` earned, whose answers are never right. The interval
    is that of the share. Where no share is known, or a reference takes several replies, it is the
    mean of the probe alone, with its interval; unknown where that was not rewarded either.
    """
    probe = _wrong_answers(evidence)
    if probe.mean is None:
        return unknown(f"the version's probe {PROBE!r} was not rewarded")
    survey = evidence.facts.survey
    if survey is None or not _has_share(survey, evidence):
        detail = f"probe {PROBE}; the share of the most common answer is unknown"
        interval = Interval(probe.low, probe.high, probe.method)
        return ModelReading(probe.mean, probe.n, probe.tasks, interval, detail)
    wrong, full = probe.mean, max(probe.mean, full_marks(evidence))
    share = statistics.wilson(survey.same_answers, survey.answers)
    earned = [
        None if part is None else part * full + (1 - part) * wrong
        for part in (survey.same_answers / survey.answers, share.low, share.high)
    ]
    detail = (
        f"one answer is right in {survey.same_answers} of {survey.answers} tasks; "
        f"other answers earn {wrong:.3g}"
    )
    interval = Interval(earned[1], earned[2], f"{share.method}, share of the answer")
    return ModelReading(earned[0], survey.answers, survey.answers, interval, detail)


def _wrong_answers(evidence: Evidence) -> Score:
    """The probe's score without the replies that happened to be right."""
    right = set(evidence.facts.right_replies or ())
    played = [rollout for rollout in evidence.of(PROBE) if name(rollout) not in right]
    return score(PROBE, played, bounds_of(evidence))


def _has_share(survey: Survey, evidence: Evidence) -> bool:
    """Whether enough answers are known, or those of all tasks, and one reply is a whole answer."""
    turns = [rollout.turns for rollout in evidence.of(ORACLE) if rollout.ok]
    turns += [played.turns for played in survey.references]
    complete = survey.train is not None and survey.train.complete
    enough = survey.answers >= min(ENOUGH_ANSWERS, survey.tasks if complete else ENOUGH_ANSWERS)
    return survey.answers > 0 and enough and bool(turns) and max(turns) <= 1


def _read(evidence: ModelEvidence) -> ModelReading:
    return evidence.constant


CONSTANT = ModelMeasureDefinition(
    code="constant_reward",
    title="Constant answer",
    unit="reward",
    source="claimed",
    read=_read,
    meaning="Mean reward of the best single answer given to every task: the share of the most "
    "common answer, and what the probe `constant` earned elsewhere, from the run that lists the "
    "version.",
)


def constant_measure(evidence: Evidence) -> ModelMeasure:
    """The measure of a run with probes, apart from any model."""
    return CONSTANT.result(constant_reward(evidence))
