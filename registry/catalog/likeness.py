"""A form of names that is equal for names which look alike, unique under one owner.

Source: warehouse's ultranormalisation: no hyphens, `l` and `i` are `1`, `o` is `0`.
"""

from __future__ import annotations

from django.db.models import F, Value
from django.db.models.functions import Replace

REPLACEMENTS = {"-": "", "l": "1", "i": "1", "o": "0"}


def like(name: F) -> Replace:
    """The same as `likeness`, in SQL, for a column with normalised names."""
    (letter, replacement), *other_replacements = REPLACEMENTS.items()
    expression = Replace(name, Value(letter), Value(replacement))
    for letter, replacement in other_replacements:
        expression = Replace(expression, Value(letter), Value(replacement))
    return expression


def likeness(name: str) -> str:
    """The likeness of a normalised name: `pol1o` and `po-lio` have the same."""
    for letter, replacement in REPLACEMENTS.items():
        name = name.replace(letter, replacement)
    return name
