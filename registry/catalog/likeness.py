"""What a hasty eye sees of a name, so that no two under one owner look alike.

Source: warehouse's ultranormalisation: hyphens gone, `l` and `i` are `1`, `o` is `0`.
"""

from __future__ import annotations

from django.db.models import F, Value
from django.db.models.functions import Replace

SEEN_AS = {"-": "", "l": "1", "i": "1", "o": "0"}


def like(name: F) -> Replace:
    """The same as `likeness` for a column with normalised names."""
    (letter, seen_as), *others = SEEN_AS.items()
    seen = Replace(name, Value(letter), Value(seen_as))
    for letter, seen_as in others:
        seen = Replace(seen, Value(letter), Value(seen_as))
    return seen


def likeness(name: str) -> str:
    """The likeness of a normalised name: `pol1o` and `po-lio` have one."""
    for letter, seen_as in SEEN_AS.items():
        name = name.replace(letter, seen_as)
    return name
