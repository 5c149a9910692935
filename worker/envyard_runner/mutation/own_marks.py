"""Wrong answers in replies that doubt or mark themselves."""

from __future__ import annotations

import json
from collections.abc import Callable

from envyard_runner.mutation.answers import fenced_object, find_answer
from envyard_runner.mutation.code_marks import lines_before, lines_behind, own_fields
from envyard_runner.mutation.forms import parsed
from envyard_runner.mutation.right_reply import Changed, RightReply
from envyard_runner.mutation.wrong_answers import unsure

# Fields with which a verifier may keep what it decided.
OWN_MARKS: dict[str, object] = {
    "score": 1.0,
    "reward": 1.0,
    "correct": True,
    "passed": True,
    "is_correct": True,
}


def doubted(right: RightReply) -> Changed:
    """A wrong answer with 0 in the reply's field of confidence: to doubt it may be right, but must
    not be worth what a right answer is."""
    if unsure(right.text) == right.text:
        return None
    changed = unsure(right.wrong)
    return changed, right.marked.answer, f"{find_answer(changed).answer}, with confidence 0"


def scored(right: RightReply) -> Changed:
    """A wrong answer in a JSON object that also claims its own score, of which the right reply has
    no field."""
    row = _object(right.text)
    if row is None or row.keys() & OWN_MARKS.keys():
        return None
    return _with_fields(right, OWN_MARKS)


def marked_first(right: RightReply) -> Changed:
    """A wrong answer between lines that the scoring code reads, the best ones first; of an object,
    in its fields."""
    return _between_lines(right, first=True)


def marked_last(right: RightReply) -> Changed:
    """The same with the best lines behind it."""
    return _between_lines(right, first=False)


def _between_lines(right: RightReply, *, first: bool) -> Changed:
    row = _object(right.text)
    reply, answer = right.text, right.marked.answer
    best = lines_before(right.constants, reply, answer)
    others = lines_behind(right.constants, reply, answer)
    above, below = ("\n".join(each) for each in ((best, others) if first else (others, best)))
    if row is not None:
        keys = own_fields(right.constants, row, right.prompt)
        notes = {"notes": f"\n{above}\n"} if above else {}
        fields = {**notes, **dict.fromkeys(keys, True)}
        return _with_fields(right, fields) if fields else None
    changed = right.wrong
    if changed == reply or not (above or below):
        return None
    text = f"{above}\n{changed}\n{below}"
    return text, answer, text


def _with_fields(right: RightReply, fields: dict[str, object]) -> Changed:
    """A wrong object with these fields more."""
    changed = right.wrong
    wrong = _object(changed)
    if wrong is None or wrong == _object(right.text):
        return None
    fence = fenced_object(changed)
    text = json.dumps({**wrong, **fields}, ensure_ascii=False)
    return fence.holding(text) if fence else text, right.marked.answer, text


def _object(reply: str) -> dict[str, object] | None:
    fence = fenced_object(reply)
    row = parsed(fence.answer if fence else reply)
    return row if isinstance(row, dict) else None


OWN: dict[str, Callable[[RightReply], Changed]] = {
    "doubted": doubted,
    "scored": scored,
    "marked_first": marked_first,
    "marked_last": marked_last,
}
