"""The only entry of a listing that has another form than all others, such as one edited file.

Where it is the entry that the task is about, a policy finds it without reading anything.
"""

from __future__ import annotations

import json
import re
from collections import Counter

FEWEST = 5  # entries, among which one is conspicuous
LONGEST = 200  # characters of an entry


def odd_entry(result: str) -> str:
    """The entry of a tool's result that differs; empty where none does, or several do."""
    entries = _entries(result)
    if len(entries) < FEWEST:
        return ""
    shapes = [_shape(entry) for entry in entries]
    (_, most), *others = Counter(shapes).most_common()
    if len(others) != 1 or most != len(entries) - 1:
        return ""
    return entries[shapes.index(others[0][0])]


def _entries(result: str) -> list[str]:
    """The texts of a JSON list, else the lines or what commas part."""
    try:
        listed = json.loads(result)
    except (ValueError, RecursionError):
        parts = result.strip().splitlines()
        listed = parts if len(parts) >= FEWEST else result.split(",")
    if not isinstance(listed, list):
        return []
    texts = [each.strip() for each in listed if isinstance(each, str)]
    return [each for each in texts if 0 < len(each) <= LONGEST]


def _shape(entry: str) -> str:
    """The entry with one sign for each number and word."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", entry))
