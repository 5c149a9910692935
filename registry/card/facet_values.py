"""What a card says of a version besides its measures: the values of facets.

Values come from the recorded rollouts, the survey of the tasks and the wheel's keywords; a value
that is not known is left out, so that no filter takes it for an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from envyard.card.evidence import Evidence
from envyard.contract.domains import domains_of
from envyard.contract.facets import LEARNABLE_BANDS
from envyard.contract.survey import Survey


def facet_values(
    evidence: Evidence,
    *,
    keywords: Iterable[str],
    learnability: float | None,
    tools: bool | None,
) -> dict[str, Any]:
    """Facet -> value, or a list of values; `tools`: a call of the environment offered some, None
    where no transcript tells."""
    turns = max((r.turns for r in evidence.rollouts if r.ok), default=0)
    judged = evidence.facts.judge is not None or any(r.usage.judge_calls for r in evidence.rollouts)
    values: Mapping[str, Any] = {
        "domain": domains_of(keywords),
        "turns": turns_band(turns),
        "tools": "" if tools is None else "offered" if tools else "none",
        "verifier": ("judge" if judged else "program") if evidence.rollouts else "",
        "tasks": tasks_band(evidence.facts.survey),
        "learnable": learnable_band(learnability),
    }
    return {name: value for name, value in values.items() if value}


def turns_band(turns: int) -> str:
    """By the most turns of a completed rollout; empty for none."""
    if turns <= 1:
        return str(turns or "")
    return "2-5" if turns <= 5 else "6+"


def tasks_band(survey: Survey | None) -> str:
    """By the number of tasks that the survey listed; empty unless it listed a split to its end."""
    splits = [split for split in (survey.train, survey.evaluation) if split] if survey else []
    if any(split.endless for split in splits):
        return "endless"
    tasks = sum(split.tasks for split in splits)
    if not tasks or not all(split.complete for split in splits):
        return ""
    return "1-99" if tasks < 100 else "100-999" if tasks < 1000 else "1000+"


def learnable_band(share: float | None) -> str:
    """By the share of groups of 4 rollouts whose rewards differ, the first model's."""
    if share is None:
        return ""
    if share == 0:
        return "none"
    return next(
        (name for name, (_, end) in LEARNABLE_BANDS.items() if share < end), [*LEARNABLE_BANDS][-1]
    )
