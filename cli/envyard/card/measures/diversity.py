"""Diversity: the share of tasks whose prompt repeats an earlier one."""

from __future__ import annotations

from envyard.card.evidence import Evidence
from envyard.card.measures.definition import MeasureDefinition, Reading, Status, share, unknown
from envyard.card.repeated_prompts import Repeated, repeated

MAXIMUM_REPEATED = 0.05


def diversity(evidence: Evidence) -> Reading:
    """The share of tasks whose prompt repeats an earlier one; only ever a warning, because games
    may rightly begin every task with the same words."""
    survey = evidence.facts.survey
    prompts = repeated([task.prompt for task in evidence.facts.tasks or ()])
    if survey is not None and survey.prompts > prompts.n:
        prompts = Repeated(survey.prompts, survey.exact, survey.near)
    if prompts.n < 2:
        return unknown("fewer than two prompts to compare")
    count = prompts.exact + prompts.near
    detail = (
        f"{prompts.exact} of {prompts.n} prompts equal an earlier one, {prompts.near} nearly do"
    )
    if survey is not None and 0 < survey.problems < prompts.n - count:
        count = prompts.n - survey.problems
        detail += (
            f"; they pose {survey.problems} different problems, apart from names, numbers and "
            "sentences that change no answer"
        )
    status: Status = "warn" if count > MAXIMUM_REPEATED * prompts.n else "pass"
    return share(count, prompts.n, status, detail)


DIVERSITY = (
    MeasureDefinition(
        code="diversity",
        rollouts="policy=oracle&sort=task",
        title="Repeated prompts",
        unit="share",
        threshold=MAXIMUM_REPEATED,
        source="observed",
        read=diversity,
        question="Do prompts repeat?",
        advice="Remove duplicates from the dataset.",
    ),
)
