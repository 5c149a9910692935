"""An interval and the method that gave it."""

from __future__ import annotations

from dataclasses import dataclass

CONFIDENCE = 0.95
ALPHA = 1 - CONFIDENCE


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` and `high` bound a number at 95 %; both are None, and `method` empty, where nothing was
    counted."""

    low: float | None
    high: float | None
    method: str


def no_interval() -> Interval:
    """The interval of nothing."""
    return Interval(None, None, "")
