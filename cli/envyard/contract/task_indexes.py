"""Tasks that a suite names one by one, by their index in the data set."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

MAX_INDEXES = 10_000
MAX_INDEX = 99_999
RANGE = re.compile(r"\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?")


class BadIndexes(ValueError):
    """Indexes that no suite may name; the message names the field, the value and the rule."""


def read_indexes(value: Any) -> tuple[int, ...]:
    """The indexes of a JSON list in ascending order, () for None; raises BadIndexes."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise BadIndexes(f"indexes {str(value)[:40]!r} must be a list of whole numbers")
    if not 1 <= len(value) <= MAX_INDEXES:
        raise BadIndexes(f"indexes has {len(value)} entries; 1 to {MAX_INDEXES} are possible")
    for index in value:
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index <= MAX_INDEX:
            raise BadIndexes(
                f"indexes has {str(index)[:40]!r}; an index is a whole number from 0 to {MAX_INDEX}"
            )
    ordered = sorted(value)
    twice = next((a for a, b in pairwise(ordered) if a == b), None)
    if twice is not None:
        raise BadIndexes(f"indexes has {twice} more than once; each task counts once")
    return tuple(ordered)


def parse_indexes(text: str) -> list[int]:
    """The indexes of a text such as `3, 17, 40-60`; raises BadIndexes, also for too many."""
    indexes: list[int] = []
    for part in text.split(","):
        match = RANGE.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first:
            raise BadIndexes(f"{part.strip()[:40]!r} must be an index such as 17, or 40-60")
        indexes += range(first, min(last + 1, first + MAX_INDEXES + 1))
        if len(indexes) > MAX_INDEXES:
            raise BadIndexes(f"indexes has more than {MAX_INDEXES} entries")
    return indexes


def indexes_text(indexes: Sequence[int], most: int = 12) -> str:
    """`3, 17, 40-60`: ascending indexes, the first `most` ranges of them; empty for none."""
    texts = [f"{first}-{last}" if last > first else str(first) for first, last in _ranges(indexes)]
    return ", ".join(texts[:most]) + (", ..." if len(texts) > most else "")


def _ranges(indexes: Iterable[int]) -> Iterator[tuple[int, int]]:
    first = last = None
    for index in indexes:
        if first is None or last is None:
            first = index
        elif index != last + 1:
            yield first, last
            first = index
        last = index
    if first is not None and last is not None:
        yield first, last


def part_of(named: Sequence[int], first: int, count: int) -> Sequence[int]:
    """`count` tasks from index `first` on: of the named ones, of all tasks where none is named."""
    if not named:
        return range(first, first + count)
    start = bisect_left(named, first)
    return named[start : start + count]
