"""The right answer before the mark that a prompt wants, and a wrong one in the mark.

A verifier that reads the mark for one rule and the whole reply for another pays it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from envyard_runner.mutation.alphabets import Alphabet
from envyard_runner.mutation.answers import Marked, find_answer, other_answer

MARK = re.compile(r"(?:<[A-Za-z_]\w{0,30}>|\\boxed\{|^####)\s{0,9}\Z", re.MULTILINE)
LONGEST = 200  # characters of an answer
Change = tuple[str, str, str]


def marked_wrong(reply: str, marked: Marked, alphabet: Alphabet, prompt: str) -> Change | None:
    """A wrong answer of the same form in the mark; None where the reply has no single mark that the
    prompt names."""
    match = MARK.search(marked.before[-LONGEST:])
    right = marked.answer.strip()
    if match is None or not 0 < len(right) <= LONGEST or "\n" in right:
        return None
    mark = match[0].strip()
    if mark not in prompt or reply.count(mark) > 1:
        return None
    changed = other_answer(reply, alphabet)
    wrong = find_answer(changed).answer
    return (changed, right, wrong) if wrong.strip().casefold() != right.casefold() else None


def beside(reply: str, marked: Marked, alphabet: Alphabet, prompt: str) -> Change | None:
    """The same behind the right answer, which no mark surrounds."""
    change = marked_wrong(reply, marked, alphabet, prompt)
    if change is None:
        return None
    changed, right, wrong = change
    return f"{right}\n\n{changed}", right, wrong


OF_MARKS: dict[str, Callable[[str, Marked, Alphabet, str], Change | None]] = {
    "marked_wrong": marked_wrong,
    "beside": beside,
}
