"""Untrusted values made fit for JSON and for any database: real numbers, storable text, bounds."""

from __future__ import annotations

import math
from typing import Any

MAX_TEXT = 100_000
LARGEST = 1e9  # a number beyond this is no reward and no duration; sums of such would overflow
CUT = "\N{HORIZONTAL ELLIPSIS}[cut]"


def number(value: Any) -> float | None:
    """The value as float where it is a real number (nan and inf included), else None."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        return math.inf if value > 0 else -math.inf


def finite(value: Any) -> float | None:
    """The value as float where it is a finite number, else None."""
    got = number(value)
    return got if got is not None and math.isfinite(got) else None


def count(value: Any) -> int:
    """The value as a whole number from 0 to 2**31 - 1, what a database column holds."""
    return int(min(max(finite(value) or 0.0, 0.0), 2**31 - 1))


def count_or_none(value: Any) -> int | None:
    """The value as `count` has it; None where it is no number."""
    return None if finite(value) is None else count(value)


def text(value: Any, most: int = MAX_TEXT) -> str:
    """The value as text without NULs or lone surrogates, which no database takes, cut at `most`
    characters with a mark."""
    got = value if isinstance(value, str) else "" if value is None else str(value)
    got = got.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    return got if len(got) <= most else got[:most] + CUT


def record(value: Any) -> dict[str, Any]:
    """The value where it is a dict, else an empty one."""
    return value if isinstance(value, dict) else {}


def records(value: Any, most: int) -> list[dict[str, Any]]:
    """The dicts among the first `most` items where the value is a list, else none."""
    return [v for v in value[:most] if isinstance(v, dict)] if isinstance(value, list) else []


def plain(value: Any, depth: int = 6, most: int = 4000) -> Any:
    """The value as JSON that every database takes: 100 items a level, texts of `most` characters;
    what nests deeper becomes text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if math.isfinite(value) and abs(value) <= LARGEST else text(value, 60)
    if depth and isinstance(value, dict):
        return {text(k, 80): plain(v, depth - 1, most) for k, v in list(value.items())[:100]}
    if depth and isinstance(value, list):
        return [plain(v, depth - 1, most) for v in value[:100]]
    return text(value, most)
