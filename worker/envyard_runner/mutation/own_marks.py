"""Wrong answers in replies that doubt or mark themselves."""

from __future__ import annotations

import json
from collections.abc import Callable

from envyard_runner.mutation.alphabets import Alphabet
from envyard_runner.mutation.answers import (
    Marked,
    fenced_object,
    find_answer,
    other_answer,
    unsure,
)
from envyard_runner.mutation.forms import parsed

# Fields with which a verifier may keep what it decided.
OWN_MARKS = {"score": 1.0, "reward": 1.0, "correct": True, "passed": True, "is_correct": True}


def doubted(reply: str, marked: Marked, alphabet: Alphabet) -> tuple[str, str, str] | None:
    """A wrong answer with 0 in the reply's field of confidence: to doubt it may be right, but must
    not be worth what a right answer is."""
    changed = unsure(reply)
    if changed == reply:
        return None
    changed = unsure(other_answer(reply, alphabet))
    return changed, marked.answer, f"{find_answer(changed).answer}, with confidence 0"


def scored(reply: str, marked: Marked, alphabet: Alphabet) -> tuple[str, str, str] | None:
    """A wrong answer in a JSON object that also claims its own score, of which the right reply has
    no field."""
    fence = fenced_object(reply)
    row = parsed(fence.answer if fence else reply)
    if not isinstance(row, dict) or row.keys() & OWN_MARKS.keys():
        return None
    changed = other_answer(reply, alphabet)
    fence = fenced_object(changed)
    wrong = parsed(fence.answer if fence else changed)
    if not isinstance(wrong, dict) or wrong == row:
        return None
    text = json.dumps({**wrong, **OWN_MARKS}, ensure_ascii=False)
    return fence.holding(text) if fence else text, marked.answer, text


OF_REPLIES: dict[str, Callable[[str, Marked, Alphabet], tuple[str, str, str] | None]] = {
    "doubted": doubted,
    "scored": scored,
}
