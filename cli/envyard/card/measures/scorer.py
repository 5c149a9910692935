"""The scorer: which model judges, with which sampling, and whether it judges itself."""

from __future__ import annotations

import re

from envyard.card.evidence import Evidence
from envyard.card.judge_checks import dependence
from envyard.card.measures.definition import MeasureDefinition, Reading, unknown
from envyard.contract.job import MODEL

FAMILY = re.compile(r"[a-z]+")


def family(model: str) -> str:
    """The family of a model by its name: the first word after the organisation, such as `qwen`."""
    match = FAMILY.search(model.lower().rpartition("/")[2])
    return match[0] if match else model.lower()


def scorer_independence(evidence: Evidence) -> Reading:
    """Whether the judge is of another family than the model that it judges."""
    judge = evidence.facts.judge
    if not evidence.rollouts:
        return unknown("no rollout completed")
    if judge is None or not judge.model:
        return Reading(1.0, "pass", len(evidence.rollouts), detail="no judge was called")
    described = (
        f"judge {judge.model} (temperature {judge.temperature:g}, seed {judge.seed}, at most "
        f"{judge.max_tokens} tokens), {judge.calls} calls"
    )
    share = dependence(evidence.facts.judge_checks or ())
    if share is not None:
        described += f"; other verdicts change a reward by up to {share:.3g} on average"
    if MODEL not in evidence.policies or not evidence.model:
        return Reading(1.0, "pass", judge.calls, detail=f"{described}; no model was judged")
    if judge.model == evidence.model:
        return Reading(0.0, "warn", judge.calls, detail=f"{described}: it judges its own replies")
    if family(judge.model) == family(evidence.model):
        detail = f"{described}: it is of the family of {evidence.model}, which it judges"
        return Reading(0.0, "warn", judge.calls, detail=detail)
    return Reading(1.0, "pass", judge.calls, detail=described)


SCORER = (
    MeasureDefinition(
        code="scorer_independence",
        rollouts="outcome=judged",
        title="Scorer independence",
        unit="share",
        threshold=1.0,
        source="observed",
        read=scorer_independence,
        question="Is the judge another model, and of another family, than the one it judges?",
        advice="Ask the hub's operator for a judge of another family (`HUB_JUDGE_MODEL`).",
    ),
)
