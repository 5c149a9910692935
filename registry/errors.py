"""The exceptions that become an error response: code, message, hint and HTTP status."""

from __future__ import annotations

from typing import Any

from envyard.contract.codes import CODES
from envyard.contract.findings import Finding


class HubError(Exception):
    """A refusal with a catalogued code; message and hint default to the catalogue's.

    Services raise it; API, pages and commands render it. The message names the field, the
    value and the rule; the hint names the next step. `status` is the HTTP status.
    """

    def __init__(
        self,
        code: str,
        message: str = "",
        hint: str = "",
        status: int = 400,
        details: dict[str, Any] | None = None,
    ) -> None:
        entry = CODES[code]
        self.code = code
        self.message = message or entry.message
        self.hint = hint or entry.hint
        self.status = status
        self.details: dict[str, Any] = details or {}
        super().__init__(self.message)

    @classmethod
    def of_findings(cls, findings: list[Finding], *, status: int = 400) -> HubError:
        """The error for these findings: message and hint are those of the first, `details` has
        all."""
        first = findings[0]
        message = first.message if not first.where else f"{first.message} ({first.where})"
        return cls(
            first.code,
            message,
            first.hint,
            status,
            {"findings": [finding.to_dict() for finding in findings]},
        )

    def to_dict(self, request_id: str = "") -> dict[str, Any]:
        """The JSON body of every error under /api/v1."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "hint": self.hint,
                "details": self.details,
                "request_id": request_id,
            }
        }


class NotFound(HubError):
    """404: the object does not exist, or the actor may not know that it does."""

    def __init__(self, message: str = "", hint: str = "") -> None:
        super().__init__("request.not_found", message, hint, status=404)


class Moved(HubError):
    """The object moved: 301 to `location` for a request that only reads, else 409."""

    def __init__(self, was: str, now: str, *, location: str = "") -> None:
        super().__init__(
            "request.moved",
            f"{was} moved to {now}",
            status=301 if location else 409,
            details={"moved_to": now, "location": location} if location else {"moved_to": now},
        )


class Forbidden(HubError):
    """403: the actor may see the object but not do that to it."""

    def __init__(self, message: str = "", hint: str = "", code: str = "request.forbidden") -> None:
        super().__init__(code, message, hint, status=403)


class Stale(HubError):
    """409: the row is no longer in the state that the change started from."""

    def __init__(self, message: str = "", hint: str = "") -> None:
        super().__init__("request.conflict", message, hint, status=409)
