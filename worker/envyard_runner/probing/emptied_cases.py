"""One case without content in the place of the cases by which a verifier judges.

A verifier that refuses an empty list of cases may still accept one that any program passes, such
as an empty text for which an empty text is expected.
"""

from __future__ import annotations

import json
from typing import Any

LONGEST, DEEPEST = 100_000, 6


def emptied_cases(text: str) -> str | None:
    """The JSON list of objects with its first one alone, whose values are empty; None for any other
    text."""
    if len(text) > LONGEST:
        return None
    try:
        cases = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(cases, list) or not cases or not isinstance(cases[0], dict):
        return None
    return json.dumps([_emptied(cases[0], DEEPEST)])


def _emptied(value: Any, depth: int) -> Any:
    match value:
        case bool() | None:
            return value
        case dict() if depth:
            return {key: _emptied(each, depth - 1) for key, each in value.items()}
        case _:
            return type(value)()
