"""Numbers of query strings."""

from __future__ import annotations

from rest_framework.request import Request

from registry.errors import HubError


def query_number(request: Request, name: str, default: int, *, low: int, high: int) -> int:
    """A whole number from the query string; raises 400 naming it where it is none or outside."""
    raw = request.query_params.get(name, "")
    if not raw:
        return default
    if not (raw.isascii() and raw.isdigit() and len(raw) < 19 and low <= int(raw) <= high):
        raise HubError(
            "request.invalid",
            f"{name} {raw[:40]!r} must be a whole number from {low} to {high}",
            details={"field": name},
        )
    return int(raw)
