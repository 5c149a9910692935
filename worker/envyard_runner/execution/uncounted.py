"""Findings about rollouts that are no evidence: no call, or another prompt than the task's."""

from __future__ import annotations

from collections import Counter

from envyard.contract.codes import Severity
from envyard.contract.findings import Finding, finding
from envyard.contract.values import text
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.first_names import first_names

MAX_SHARE = 0.1  # of the scored rollouts; beyond it the run shows too little of the environment
CHARACTERS = 100
REASONS = {
    "run.no_model_call": "they were scored without a call to the policy",
    "run.prompt_not_sent": "none of their first calls contained the prompt of their task",
    "run.prompt_changed": "a fresh load gave their tasks another prompt under the same hash",
}


def uncounted_findings(collector: EventCollector) -> list[Finding]:
    """One finding per reason: a warning, or an error once a tenth of all rollouts, or a whole
    policy, is not counted."""
    reasons, scored = collector.not_counted, len(collector.scored)
    severity: Severity = "error" if _is_too_many(collector) else "warning"
    findings = []
    for code, why in REASONS.items():
        rollouts = [name for name, reason in reasons.items() if reason == code]
        if rollouts:
            names = first_names(rollouts)
            message = f"{len(rollouts)} of {scored} rollouts do not count: {why}: {names}."
            if code == "run.prompt_not_sent":
                message += f" {_example(collector, rollouts[0])}"
            where = rollouts[0]
            findings.append(finding(code, message, severity=severity, where=where, n=len(rollouts)))
    if collector.not_compared:
        message = (
            f"The calls of {len(collector.not_compared)} of {scored} rollouts could not be "
            "compared with a prompt, because their tasks have none of their own."
        )
        findings.append(finding("run.prompt_not_compared", message))
    return findings


def _is_too_many(collector: EventCollector) -> bool:
    lost = Counter(name.partition("/")[0] for name in collector.not_counted)
    scored = Counter(name.partition("/")[0] for name in collector.scored)
    lost_policy = any(lost[policy] == scored[policy] for policy in lost)
    return lost_policy or sum(lost.values()) > MAX_SHARE * len(collector.scored)


def _example(collector: EventCollector, rollout: str) -> str:
    task = int(rollout.split("/")[1])
    prompt = next((t.prompt for t in collector.tasks or () if t.index == task), "")
    return (
        f"In {rollout} the task's prompt begins {text(prompt, CHARACTERS)!r} and the first "
        f"call's last message {collector.without_prompt[rollout]!r}."
    )
