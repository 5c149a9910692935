"""The findings that a run itself reported, as a statement holds them, and what confirms them.

A card's own findings are computed from the evidence. Those of the run come from the runner, which
saw more than the evidence holds (calls, processes, connections): they are the hub's word, but for
the codes of CONFIRMED, of which the evidence shows whether they are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from envyard.card.evidence import Evidence

MAX_FINDINGS = 200
MESSAGE_CHARACTERS = 500
SEVERITIES = ("error", "warning", "info")
StatedFinding = dict[str, str]


class Reported(Protocol):
    """A finding, or its stored row."""

    @property
    def code(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def where(self) -> str: ...
    @property
    def message(self) -> str: ...


def stated(findings: Iterable[Reported]) -> list[StatedFinding]:
    """Code, severity, place and message (up to MESSAGE_CHARACTERS) of each, errors first, otherwise
    in the order given; of more than MAX_FINDINGS the first."""
    rows = [
        {
            "code": row.code,
            "severity": row.severity,
            "where": row.where,
            "message": row.message[:MESSAGE_CHARACTERS],
        }
        for row in findings
    ]
    return sorted(rows, key=lambda row: _rank(row["severity"]))[:MAX_FINDINGS]


def read(rows: Any) -> tuple[StatedFinding, ...]:
    """The findings of an untrusted statement; raises TypeError or LookupError for another shape."""
    return tuple(
        {key: str(row[key]) for key in ("code", "severity", "where", "message")} for row in rows
    )


def is_confirmed(code: str, evidence: Evidence) -> bool:
    """Whether the evidence shows what a finding of that code reports."""
    return code in CONFIRMED and CONFIRMED[code](evidence)


def contradictions(
    findings: Sequence[StatedFinding], evidence: Evidence, *, failed: bool
) -> Iterator[str]:
    """What the findings of a run and its evidence say differently, a sentence each.

    A run that failed may end before the finding is made, and before its evidence is complete, so
    that only a run that ended with a result is compared.
    """
    if failed:
        return
    codes = {row["code"] for row in findings}
    for code, shows in CONFIRMED.items():
        if shows(evidence) and code not in codes:
            yield f"run_findings lacks {code}, which the evidence shows"
        elif code in codes and not shows(evidence):
            yield f"run_findings has {code}, which the evidence does not show"


def _rank(severity: str) -> int:
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def _paid_otherwise_in_training(evidence: Evidence) -> bool:
    return evidence.facts.training is not None and evidence.facts.training.differing > 0


def _not_counted(code: str) -> Callable[[Evidence], bool]:
    return lambda evidence: code in (evidence.facts.not_counted or {}).values()


CONFIRMED: dict[str, Callable[[Evidence], bool]] = {
    "card.evaluation_aware": _paid_otherwise_in_training,
    "run.no_model_call": _not_counted("run.no_model_call"),
    "run.prompt_not_sent": _not_counted("run.prompt_not_sent"),
    "run.prompt_changed": _not_counted("run.prompt_changed"),
}
