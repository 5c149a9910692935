"""Wrong answers without work: a piece of the prompt, or a constant, of the reference's kind."""

from __future__ import annotations

import random
import re
from collections import Counter

from envyard_runner.mutation.answers import OPPOSITES, OPTIONS, find_answer, other_answer
from envyard_runner.mutation.vacuous import vacuous_in

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
LISTED_OPTION = re.compile(r"^\s*\(?([A-J])[).:]", re.MULTILINE)
QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|'([^'\n]{2,80})'|`([^`\n]{2,80})`")
LIST = re.compile(r"[^\s,:;.]+(?:, ?[^\s,:;.]+){2,}")
WORD = re.compile(r"[^\W\d_]{3,}")
# A calculation in the prompt: a verifier that evaluates replies pays for it.
EXPRESSION = re.compile(r"\(?-?\d+(?:(?: *[+*/] *| +- +)\(?-?\d+\)?){1,20}")
NEAR = 0.75  # of the letters, from which a word of the prompt is tried first
NUMBERS = ("0", "1", "100")
WORDS = ("unknown", "none", "n/a")


def copied_answer(reference: str, prompt: str) -> str:
    """The reference with another number, option, word or line of the prompt as its answer.

    Where the prompt has no other piece of that kind, the answer is a wrong one of the same form.
    """
    marked = find_answer(reference)
    own = marked.answer.strip().casefold()
    for piece in _pieces(marked.answer.strip(), prompt):
        if piece.strip() and piece.strip().casefold() != own:
            return marked.holding(piece.strip())
    return other_answer(reference)


def _pieces(answer: str, prompt: str) -> list[str]:
    """The pieces of the prompt that are of the answer's kind, the likeliest first."""
    if NUMBER.fullmatch(answer):
        return [*EXPRESSION.findall(prompt), *NUMBER.findall(prompt)[::-1]]
    if answer.upper() in tuple(OPTIONS):
        return LISTED_OPTION.findall(prompt)[::-1]
    if LIST.fullmatch(answer):
        return LIST.findall(prompt)[::-1]
    quoted = [next(filter(None, match.groups())) for match in QUOTED.finditer(prompt)]
    words = sorted(dict.fromkeys(WORD.findall(prompt)), key=len, reverse=True)
    lines = prompt.strip().splitlines()[-1:]
    near = [word for word in words if _shared_letters(answer, word) >= NEAR]
    return [*near, *quoted, *(words if len(answer.split()) <= 1 else lines)]


def _shared_letters(answer: str, word: str) -> float:
    """The share of the letters of both, in any order, of those of the longer one."""
    shared = Counter(answer.casefold()) & Counter(word.casefold())
    return shared.total() / max(len(answer), len(word))


def constant_answer(reference: str, rng: random.Random) -> str:
    """The reference with a constant of its kind as its answer, never the right one."""
    if vacuous := vacuous_in(reference):
        return vacuous
    marked = find_answer(reference)
    answer = marked.answer.strip()
    others = [each for each in _constants(answer) if each.casefold() != answer.casefold()]
    return marked.holding(rng.choice(others))


def _constants(answer: str) -> tuple[str, ...]:
    if NUMBER.fullmatch(answer):
        return NUMBERS
    if answer.upper() in tuple(OPTIONS):
        return ("A", "B", "C")
    if answer.casefold() in OPPOSITES:
        return (answer, OPPOSITES[answer.casefold()])
    if answer.startswith("["):
        return ("[]", '[""]')
    return ("{}", "null") if answer.startswith("{") else WORDS
