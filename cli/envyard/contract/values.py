"""Untrusted values made fit for JSON and for any database: real numbers, storable text, bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

Row = TypeVar("Row")

MAX_TEXT = 100_000
MAX_NUMBER = 1e9  # a number beyond this is no reward and no duration; sums of such would overflow
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
    parsed = number(value)
    return parsed if parsed is not None and math.isfinite(parsed) else None


def count(value: Any) -> int:
    """The value as a whole number from 0 to 2**31 - 1, what a database column holds."""
    return int(min(max(finite(value) or 0.0, 0.0), 2**31 - 1))


def count_or_none(value: Any) -> int | None:
    """The value as `count` has it; None where it is no number."""
    return None if finite(value) is None else count(value)


def text(value: Any, limit: int = MAX_TEXT) -> str:
    """The value as text without NULs or lone surrogates, which no database takes, cut at `limit`
    characters with a mark."""
    clean = value if isinstance(value, str) else "" if value is None else str(value)
    clean = clean.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    return clean if len(clean) <= limit else clean[:limit] + CUT


def content_text(content: Any, limit: int = MAX_TEXT) -> str:
    """The `text` of a chat message's content; of a list of parts, other kinds show as `[kind]`."""
    if isinstance(content, list):
        content = "\n".join(
            text(part.get("text")) if part.get("type") == "text" else f"[{part.get('type')}]"
            for part in content
            if isinstance(part, dict)
        )
    return text(content, limit)


def record(value: Any) -> dict[str, Any]:
    """The value where it is a dict, else an empty one."""
    return value if isinstance(value, dict) else {}


def records(value: Any, limit: int) -> list[dict[str, Any]]:
    """The dicts among the first `limit` items where the value is a list, else none."""
    return [v for v in value[:limit] if isinstance(v, dict)] if isinstance(value, list) else []


def plain(value: Any, depth: int = 6, limit: int = 4000) -> Any:
    """The value as JSON that every database takes: 100 items a level, texts of `limit` characters;
    what nests deeper becomes text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if math.isfinite(value) and abs(value) <= MAX_NUMBER else text(value, 60)
    if depth and isinstance(value, dict):
        return {text(k, 80): plain(v, depth - 1, limit) for k, v in list(value.items())[:100]}
    if depth and isinstance(value, list):
        return [plain(v, depth - 1, limit) for v in value[:100]]
    return text(value, limit)


def rows_of(value: Any, read: Callable[[dict[str, Any]], Row], maximum: int) -> list[Row] | None:
    """The objects of a list, each read; None for any other shape."""
    return [read(row) for row in records(value, maximum)] if isinstance(value, list) else None


def texts_of(value: Any, characters: int, maximum: int) -> list[str] | None:
    """The texts of a list, each cut; None for any other shape."""
    return [text(each, characters) for each in value[:maximum]] if isinstance(value, list) else None


def names_of(value: Any, maximum: int) -> dict[str, str] | None:
    """Rollouts by name with a code each; None for any other shape."""
    if not isinstance(value, dict):
        return None
    return {text(k, 100): text(v, 80) for k, v in list(value.items())[:maximum]}
