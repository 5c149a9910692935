"""Findings that name the likely cause of a failed load, or of rollouts that all failed alike.

The sandbox's own events decide the sentence and the hint, and never whose fault a failure is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from envyard.contract.failures import Explanation, Facts, explain, facts_of, summary
from envyard.contract.findings import Finding, finding
from envyard.contract.values import record, text
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.verdict import Ending
from envyard_runner.sandbox import Exit

UNKNOWN = "unknown"
TRACEBACK = 8000
ENDED_BY_ERROR = ("run.import_failed", "run.load_failed", "run.crashed")
LIMIT_CHECK = "limit_check"  # the cause that is the operator's to change, and no author's


def with_causes(
    ending: Ending, collector: EventCollector, end: Exit, *, output_tail: bytes, module: str
) -> Ending:
    """The same ending with the likely cause in the findings of its failure; `output_tail` is the
    end of the sandbox's output, `module` the environment's."""
    output = SandboxOutput(output_tail.decode("utf-8", "replace"), module, list(end.targets))
    findings = [_with_cause(problem, collector, end, output) for problem in ending.findings]
    if ending.outcome == "succeeded":
        findings += common_failure(
            collector.errors, collector.failed, output, scored=len(collector.scored)
        )
    return replace(ending, findings=findings)


def low_limit_ending(ending: Ending, collector: EventCollector) -> Ending | None:
    """The ending of a run whose load, or all of whose rollouts, failed because the environment
    requires a higher limit than its runner has; None for any other.

    The cause is read from the environment's own errors. A forged error holds the version and never
    lists it.
    """
    if collector.scored:
        return None
    for problem in ending.findings:
        if problem.details.get("cause") == LIMIT_CHECK:
            low = finding("run.limit_too_low", problem.message, hint=problem.hint)
            return Ending("errored", [replace(low, details=problem.details)])
    return None


@dataclass(frozen=True, slots=True)
class SandboxOutput:
    """What a sandbox left besides its errors: its log, and the addresses that it was refused."""

    log: str
    module: str
    refused: Sequence[str]

    def facts_of(self, error: dict[str, Any]) -> Facts:
        """The facts of one error."""
        return facts_of(error, log=self.log, module=self.module, refused=self.refused)


def _with_cause(
    problem: Finding, collector: EventCollector, end: Exit, output: SandboxOutput
) -> Finding:
    if problem.code in ENDED_BY_ERROR and collector.fatal is not None:
        return load_failure(
            problem.code, collector.fatal.get("error"), output, collector.plan.reveal
        )
    if problem.code == "run.wall_clock" and collector.tasks is None:
        message = f"its tasks were not loaded after {end.seconds:.0f} s"
        cause = explain(output.facts_of({"type": "TimeoutError", "message": message}))
        if cause is not None:
            details = problem.details | {"cause": cause.cause}
            return replace(problem, message=cause.message, hint=cause.hint, details=details)
    return problem


def load_failure(
    code: str, error: Any, output: SandboxOutput, reveal: Callable[[str], str]
) -> Finding:
    """The finding for the `fatal` event of a driver; `reveal` replaces aliases by the names of
    rollouts. `details` hold the cause's stable name, the exception and its traceback."""
    fields = record(error)
    facts = output.facts_of(fields)
    cause = explain(facts)
    kind, reason = text(fields.get("type"), 200), reveal(text(fields.get("message"), 2000))
    raised = f"{kind}: {reason}" if reason else kind
    group = bool(facts.raised) and facts.raised[0].group
    return finding(
        code,
        cause.message if cause else reveal(summary(facts)) if group else raised,
        hint=cause.hint if cause else "",
        cause=cause.cause if cause else UNKNOWN,
        error=raised,
        traceback=text(fields.get("traceback"), TRACEBACK),
    )


def common_failure(
    errors: Sequence[dict[str, Any]], failed: int, output: SandboxOutput, *, scored: int = 0
) -> list[Finding]:
    """One finding if the failed rollouts have the same cause by `errors`, the first of their
    errors; none otherwise. If others were `scored`, only a known cause is named."""
    if not errors:
        return []
    causes = [_cause_of(output.facts_of(error)) for error in errors]
    if scored and causes[0].cause == UNKNOWN:
        return []
    kinds = {(cause.cause, cause.message if cause.cause == UNKNOWN else "") for cause in causes}
    if len(kinds) > 1:
        return []
    compared = f", the {len(errors)} first" if len(errors) < failed else ""
    shared = "with the same error" if causes[0].cause == UNKNOWN else "for the same cause"
    count = f"{failed} of {failed + scored}" if scored else f"All {failed}"
    alike = f"{count} rollouts failed{compared} {shared}"
    return [
        finding(
            "run.rollouts_failed",
            f"{alike if failed + scored > 1 else 'The only rollout failed'}: {causes[0].message}",
            hint=causes[0].hint,
            cause=causes[0].cause,
            error=f"{text(errors[0].get('type'), 200)}: {text(errors[0].get('message'), 2000)}",
            traceback=text(errors[0].get("traceback"), TRACEBACK),
        )
    ]


def _cause_of(facts: Facts) -> Explanation:
    return explain(facts) or Explanation(UNKNOWN, summary(facts))
