"""Tasks of different kinds: those whose prompts give instructions that others do not give, or whose
answers have another form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

SENTENCE = re.compile(r"[^.?!:;\n]+")
NUMBER = re.compile(r"\d+")
FORMS = (
    (re.compile(r"[^\W\d_]+"), "a"),
    (re.compile(r"(?:a )+a"), "a a"),
    (re.compile(r"\b(?:12|00?)(?=:)"), "noon"),
    (re.compile(r"\b0\b"), "zero"),
    (re.compile(r"(?<=\d/)1\b"), "one"),
    (re.compile(r"\d+"), "0"),
)
LONGEST = 20_000  # characters of a prompt
LONGEST_FORM = 60  # characters of an answer


def of_each_kind(tasks: Sequence[tuple[str, str]], number: int) -> list[int]:
    """The places of at most this many tasks, each a prompt and its answer, in order: the first,
    then each time the one with the most sentences and forms of answers that several tasks share and
    no chosen one has, then the first ones left."""
    marks = [_sentences(prompt) | {("form", form_of(answer))} for prompt, answer in tasks]
    counts = Counter(mark for each in marks for mark in each)
    shared = [{each for each in some if counts[each] > 1} for some in marks]
    chosen: list[int] = []
    known: set[tuple[str, str]] = set()
    left = list(range(len(tasks)))
    while left and len(chosen) < number:
        best = left[0] if not chosen else max(left, key=lambda at: len(shared[at] - known))
        left.remove(best)
        chosen.append(best)
        known |= shared[best]
    return sorted(chosen)


def _sentences(prompt: str) -> set[tuple[str, str]]:
    """Its sentences, with `0` for each number."""
    sentences = SENTENCE.findall(prompt[:LONGEST])
    return {("sentence", NUMBER.sub("0", each.strip().casefold())) for each in sentences}


def form_of(answer: str) -> str:
    """The signs of an answer, with `a` for each word and `0` for each number but zero, the hours of
    noon and midnight, and the 1 below a whole fraction."""
    form = answer.strip()[:LONGEST_FORM]
    for pattern, sign in FORMS:
        form = pattern.sub(sign, form)
    return form
