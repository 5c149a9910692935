"""A Finding is one result of one check; pages, the API and the command line show the same text."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from envyard.contract.codes import CODES, Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of one check; `where` names the member, field, task or rollout."""

    code: str
    message: str
    hint: str = ""
    severity: Severity = "error"
    where: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form used by API, database and runner events."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Finding:
        """Read an untrusted JSON form: unknown keys dropped, texts cut, severity checked."""
        severity = data.get("severity")
        details = data.get("details")
        return cls(
            code=str(data.get("code", "unknown"))[:80],
            message=str(data.get("message", ""))[:4000],
            hint=str(data.get("hint", ""))[:1000],
            severity=severity if severity in ("error", "warning", "info") else "error",
            where=str(data.get("where", ""))[:300],
            details=details if isinstance(details, dict) else {},
        )


def finding(
    code: str,
    message: str = "",
    *,
    where: str = "",
    severity: Severity | None = None,
    hint: str = "",
    **details: Any,
) -> Finding:
    """A Finding of a catalogued code; message, hint and severity default to the code's entry."""
    entry = CODES[code]
    return Finding(
        code,
        message or entry.message,
        hint or entry.hint,
        severity or entry.severity,
        where,
        details,
    )


def is_requirement(code: str) -> bool:
    """Whether a finding of that code names what an environment needs from outside and lacked."""
    return code in CODES and CODES[code].fault == "requirement"
