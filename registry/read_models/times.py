"""Times as JSON has them."""

from __future__ import annotations

from datetime import UTC, datetime


def when(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC with a Z, or None."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
