"""Changes of answers that assign values: the two numbers of a pair, and the values of two names."""

from __future__ import annotations

import json
import re
from typing import Any

from envyard_runner.mutation.forms import parsed
from envyard_runner.mutation.records import EXPLAINING, is_object

PAIR = re.compile(r"\(\s*(-?\d{1,9}(?:\.\d{1,9})?)\s*,\s*(-?\d{1,9}(?:\.\d{1,9})?)\s*\)")
ENTRY = re.compile(r"([A-Za-z][\w -]{0,39})(\s?[:=]\s?)([^,;:=\n]{1,60})")
ASSIGNMENT = re.compile(r"([A-Za-z][\w -]{0,39})\s?=\s?[^,;:=\n]{1,60}")
SEPARATOR = re.compile(r"(\s*[,;\n]\s*)")
FEWEST, MOST = 2, 60  # entries
LONGEST = 2_000  # characters of them
MERIDIEM = re.compile(r"(\d ?)([ap])(\.?m\b)", re.IGNORECASE)
OTHER_HALF = {"a": "p", "p": "a", "A": "P", "P": "A"}


def are_assigned(answer: str) -> bool:
    """Whether it consists of two or more `NAME=VALUE` of different names, whose order means
    nothing: a reader may look for the names that it knows."""
    text = answer.strip()
    if "=" not in text or len(text) > LONGEST:
        return False
    parts = SEPARATOR.split(text)[::2]
    parts = parts if len(parts) > 1 else text.split()
    entries = [match for part in parts[: MOST + 1] if (match := ASSIGNMENT.fullmatch(part))]
    names = {match[1].casefold() for match in entries}
    return FEWEST <= len(parts) <= MOST and len(names) == len(parts)


def are_entries(answer: str) -> bool:
    """Whether it consists of two or more `NAME: VALUE` or `NAME=VALUE` of different names."""
    parts = SEPARATOR.split(answer.strip()[: LONGEST + 1])[::2]
    entries = [match for part in parts[: MOST + 1] if (match := ENTRY.fullmatch(part))]
    names = {match[1].casefold() for match in entries}
    return FEWEST <= len(parts) <= MOST and len(names) == len(parts)


def are_named(answer: str) -> bool:
    """Whether it consists of values with names: `NAME=VALUE`, or `NAME: VALUE` in one line."""
    return are_assigned(answer) or ("\n" not in answer.strip() and are_entries(answer))


def other_values(answer: str, other: str) -> str | None:
    """The answer with another value for each name, of those that it and another answer have; None
    where they have no other, or no names."""
    parts = SEPARATOR.split(answer.strip())
    entries = [ENTRY.fullmatch(part) for part in parts[::2]]
    others = [ENTRY.fullmatch(part) for part in SEPARATOR.split(other.strip())[::2]]
    known = [each[3].strip() for each in [*others, *entries] if each]
    if len(entries) < FEWEST or None in entries or None in others:
        return None
    for at, each in enumerate(filter(None, entries)):
        value = next((value for value in known if value != each[3].strip()), None)
        if value is None:
            return None
        parts[2 * at] = f"{each[1]}{each[2]}{value}"
    return "".join(parts)


def pair(answer: str) -> str | None:
    """The numbers of a pair in brackets exchanged: brackets order them."""
    match = PAIR.fullmatch(answer.strip())
    return f"({match[2]}, {match[1]})" if match and match[1] != match[2] else None


def half_of_day(answer: str) -> str | None:
    """A time in the other half of the day."""
    text = answer.strip()
    other = MERIDIEM.sub(lambda match: match[1] + OTHER_HALF[match[2]] + match[3], text, count=1)
    return other if other != text else None


def permuted(answer: str) -> str | None:
    """Two values exchanged that different names have, in JSON or as `name: value`."""
    text = answer.strip()
    if is_object(text):
        row = parsed(text)
        return _exchanged_fields(row) if isinstance(row, dict) else None
    parts = SEPARATOR.split(text)
    entries = [ENTRY.fullmatch(part) for part in parts[::2]]
    if not FEWEST <= len(entries) <= MOST or not all(entries):
        return None
    rows = [(each[1], each[2], each[3].strip()) for each in entries if each]
    at = next((at for at in range(len(rows) - 1) if rows[at][2] != rows[at + 1][2]), None)
    if at is None or len({name.casefold() for name, _, _ in rows}) < len(rows):
        return None
    (first, colon, one), (second, _, other) = rows[at], rows[at + 1]
    parts[2 * at], parts[2 * at + 2] = f"{first}{colon}{other}", f"{second}{colon}{one}"
    return "".join(parts)


def _exchanged_fields(row: dict[str, Any]) -> str | None:
    """The first two values of one type that differ, each under the other's name."""
    names = [
        name
        for name, value in row.items()
        if isinstance(value, str | int | float) and name.casefold() not in EXPLAINING
    ]
    for at, first in enumerate(names[:MOST]):
        for second in names[at + 1 : MOST]:
            if type(row[first]) is type(row[second]) and row[first] != row[second]:
                changed = {**row, first: row[second], second: row[first]}
                return json.dumps(changed, ensure_ascii=False)
    return None
