"""Findings about rollouts that are no evidence: no call, or another prompt than the task's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envyard.contract.codes import Severity
from envyard.contract.findings import Finding, finding
from envyard.contract.values import text
from envyard_runner.execution.collector import Story

AT_MOST = 0.1  # of the scored rollouts; beyond it the run shows too little of the environment
NAMED, CHARACTERS = 10, 100
WHY = {
    "run.no_model_call": "they were scored without a call to the policy",
    "run.prompt_not_sent": "none of their first calls contained the prompt of their task",
    "run.prompt_changed": "a fresh load gave their tasks another prompt under the same hash",
}


def uncounted(story: Story) -> list[Finding]:
    """One finding a reason: a warning, an error once a tenth of all, or a whole policy, is gone."""
    gone, scored = story.not_counted, len(story.scored)
    severity: Severity = "error" if _too_many(story) else "warning"
    findings = []
    for code, why in WHY.items():
        rollouts = [name for name, reason in gone.items() if reason == code]
        if rollouts:
            message = f"{len(rollouts)} of {scored} rollouts do not count: {why}: {some(rollouts)}."
            if code == "run.prompt_not_sent":
                message += f" {_example(story, rollouts[0])}"
            where = rollouts[0]
            findings.append(finding(code, message, severity=severity, where=where, n=len(rollouts)))
    if story.not_compared:
        message = (
            f"The calls of {len(story.not_compared)} of {scored} rollouts could not be compared "
            "with a prompt, because their tasks have none of their own."
        )
        findings.append(finding("run.prompt_not_compared", message))
    return findings


def _too_many(story: Story) -> bool:
    gone = Counter(name.partition("/")[0] for name in story.not_counted)
    each = Counter(name.partition("/")[0] for name in story.scored)
    whole = any(gone[policy] == each[policy] for policy in gone)
    return whole or sum(gone.values()) > AT_MOST * len(story.scored)


def _example(story: Story, rollout: str) -> str:
    task = int(rollout.split("/")[1])
    prompt = next((t.prompt for t in story.tasks or () if t.index == task), "")
    return (
        f"In {rollout} the task's prompt begins {text(prompt, CHARACTERS)!r} and the first "
        f"call's last message {story.without_prompt[rollout]!r}."
    )


def some(rollouts: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(rollouts) - NAMED} more" if len(rollouts) > NAMED else ""
    return ", ".join(rollouts[:NAMED]) + more
