"""The right answer before the mark that a prompt wants, and a wrong one in the mark.

A verifier that reads the mark for one rule and the whole reply for another pays it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.right_reply import Changed, RightReply

MARK = re.compile(r"(?:<[A-Za-z_]\w{0,30}>|\\boxed\{|^####)\s{0,9}\Z", re.MULTILINE)
LONGEST = 200  # characters of an answer


def marked_wrong(right: RightReply) -> Changed:
    """A wrong answer of the same form in the mark; None where the reply has no single mark that the
    prompt names."""
    match = MARK.search(right.marked.before[-LONGEST:])
    answer = right.marked.answer.strip()
    if match is None or not 0 < len(answer) <= LONGEST or "\n" in answer:
        return None
    mark = match[0].strip()
    if mark not in right.prompt or right.text.count(mark) > 1:
        return None
    changed = right.wrong
    wrong = find_answer(changed).answer
    return (changed, answer, wrong) if wrong.strip().casefold() != answer.casefold() else None


def beside(right: RightReply) -> Changed:
    """The same behind the right answer, which no mark surrounds."""
    change = marked_wrong(right)
    if change is None:
        return None
    changed, answer, wrong = change
    return f"{answer}\n\n{changed}", answer, wrong


BESIDE: dict[str, Callable[[RightReply], Changed]] = {
    "marked_wrong": marked_wrong,
    "beside": beside,
}
