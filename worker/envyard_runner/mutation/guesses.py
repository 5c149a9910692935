"""Wrong answers without work: a piece of the prompt, or a constant, of the reference's kind."""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter
from functools import partial
from typing import Any

from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.expressions import whole_value
from envyard_runner.mutation.forms import parsed
from envyard_runner.mutation.records import is_object, with_tags, with_values
from envyard_runner.mutation.vacuous import vacuous_in
from envyard_runner.mutation.wrong_answers import OPPOSITES, OPTIONS, other_answer, shifted

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
QUANTITY = re.compile(  # a number and its unit
    r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)? ?[^\W\d_]{1,12}(?!\w)"
)
LISTED_OPTION = re.compile(r"^\s*\(?([A-J])[).:]", re.MULTILINE)
QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|'([^'\n]{2,80})'|`([^`\n]{2,80})`")
LIST = re.compile(r"[^\s,:;.]+(?:, ?[^\s,:;.]+){2,}")
WORD = re.compile(r"[^\W\d_]{3,}")
# A calculation in the prompt: a verifier that evaluates replies pays for it.
EXPRESSION = re.compile(r"\(?-?\d+(?:(?: *[+*/] *| +- +)\(?-?\d+\)?){1,20}")
# Tasks whose answer says the same as a part of the prompt in another way.
REWRITING = re.compile(
    r"\b(?:simplif|shorten|rewrit|rephras|paraphras|optimi[sz]|compress|minimi[sz]|condens|summari[sz]"
    r"|correct|fix|clean|normali[sz]|improv|polish)",
    re.IGNORECASE,
)
TOKEN, HALF = re.compile(r"\w+"), 0.5  # of the answer's words
NEAR = 0.75  # of the letters, from which a word of the prompt is tried first
LAST_NUMBER_EVERY = 3  # tasks
NUMBERS = ("0", "1", "100")
MAX_PIECES = 400  # of a list of all words
WORDS = ("unknown", "none", "n/a")


def copied_answer(reference: str, prompt: str, task: int = 0) -> str:
    """The reference with another number, option, word or line of the prompt as its answer: the last
    number in every third task, the largest in the others.

    Where the prompt has no other piece of that kind, the answer is a wrong one of the same form.
    """
    copied = partial(_copied_value, prompt)
    if fields := with_tags(reference, copied):
        return fields
    marked = find_answer(reference)
    answer = marked.answer.strip()
    if is_object(answer) and (fields := with_values(answer, copied)):
        return marked.holding(fields)
    piece = _piece(answer, prompt, largest=task % LAST_NUMBER_EVERY > 0)
    return marked.holding(piece) if piece else other_answer(reference)


def _piece(answer: str, prompt: str, *, largest: bool = False) -> str:
    """The first piece of the prompt that is of the answer's kind and not the answer; empty where
    there is none."""
    pieces = (piece.strip().rstrip(",") for piece in _pieces(answer, prompt, largest=largest))
    return next((each for each in pieces if each and each.casefold() != answer.casefold()), "")


def _copied_value(prompt: str, value: Any) -> Any:
    """Another value of the prompt for one field; another of its form where there is none."""
    match value:
        case bool():
            return not value
        case str():
            return _piece(value.strip(), prompt) or shifted(value, 1)
        case int() | float():
            numbers = (parsed(each.replace(",", "")) for each in NUMBER.findall(prompt)[::-1])
            others = (type(value)(each) for each in numbers if each is not None)
            return next((each for each in others if each != value), value + 1)
    return value


def _pieces(answer: str, prompt: str, *, largest: bool) -> list[str]:
    """The pieces of the prompt that are of the answer's kind, the likeliest first.

    For a calculation that is its value, where the prompt names it: the number to be reached.
    """
    numbers = NUMBER.findall(prompt)[::-1]
    value = whole_value(answer)
    if value is not None and (named := [each for each in numbers if _amount(each) == value]):
        return named
    if NUMBER.fullmatch(answer):
        numbers = sorted(numbers, key=_amount, reverse=True) if largest else numbers
        return [*EXPRESSION.findall(prompt), *numbers]
    if QUANTITY.fullmatch(answer):
        return QUANTITY.findall(prompt)[::-1]
    if answer.upper() in tuple(OPTIONS):
        return LISTED_OPTION.findall(prompt)[::-1]
    if LIST.fullmatch(answer):
        return [*LIST.findall(prompt)[::-1], *_superset(answer, prompt)]
    if all_pieces := _superset(answer, prompt):
        return all_pieces
    quoted = [next(filter(None, match.groups())) for match in QUOTED.finditer(prompt)]
    words = sorted(dict.fromkeys(WORD.findall(prompt)), key=len, reverse=True)
    lines = prompt.strip().splitlines()[-1:]
    near = [word for word in words if _shared_letters(answer, word) >= NEAR]
    several = len(answer.split()) > 1
    alike = _alike(answer, prompt) if several and REWRITING.search(prompt) else []
    unaccented = _unaccented(answer, prompt) if several else []
    return [*unaccented, *near, *alike, *quoted, *(lines if several else words)]


def _unaccented(answer: str, prompt: str) -> list[str]:
    """The line of the prompt, or the part behind its colon, that is the answer but for accents:
    these are what is to be restored."""
    bare = _without_accents(answer)
    if bare == answer:
        return []
    return [part for part in _parts(prompt) if part != answer and _without_accents(part) == bare]


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _parts(prompt: str) -> list[str]:
    """The lines of the prompt, and what they have behind a colon."""
    lines = [line.strip() for line in prompt.splitlines() if line.strip()]
    return [*lines, *filter(None, (line.partition(": ")[2].strip() for line in lines))]


def _alike(answer: str, prompt: str) -> list[str]:
    """The line of the prompt, or the part behind its colon, that has the most of the answer's
    words, where it has half of them: what is to be shortened, corrected or simplified."""
    wanted = Counter(TOKEN.findall(answer.casefold()))
    rated = [(_share(wanted, part), -len(part), part) for part in _parts(prompt)]
    best = max(rated, default=(0.0, 0, ""))
    return [best[2]] if best[0] >= HALF else []


def _share(wanted: Counter[str], part: str) -> float:
    shared = wanted & Counter(TOKEN.findall(part.casefold()))
    return shared.total() / max(1, wanted.total())


def _superset(answer: str, prompt: str) -> list[str]:
    """The list of all words or numbers of the prompt, where the answer lists several of them: a
    verifier that counts only what is named pays it."""
    separator = ", " if ", " in answer else ","
    items = {item.strip().casefold() for item in answer.split(",")}
    numbers = all(map(NUMBER.fullmatch, items))
    pieces = [*dict.fromkeys((NUMBER if numbers else WORD).findall(prompt))][:MAX_PIECES]
    known = {piece.casefold() for piece in pieces}
    return [separator.join(pieces)] if len(items) > 1 and items < known else []


def _amount(number: str) -> float:
    return float(number.replace(",", ""))


def _shared_letters(answer: str, word: str) -> float:
    """The share of the letters of both, in any order, of those of the longer one."""
    shared = Counter(answer.casefold()) & Counter(word.casefold())
    return shared.total() / max(len(answer), len(word))


def constant_answer(reference: str, rng: random.Random) -> str:
    """The reference with a constant of its kind as its answer, never the right one."""
    if vacuous := vacuous_in(reference):
        return vacuous
    constant = partial(_constant_value, rng)
    if fields := with_tags(reference, constant):
        return fields
    marked = find_answer(reference)
    answer = marked.answer.strip()
    if is_object(answer) and (fields := with_values(answer, constant)):
        return marked.holding(fields)
    others = [each for each in _constants(answer) if each.casefold() != answer.casefold()]
    return marked.holding(rng.choice(others))


def _constant_value(rng: random.Random, value: Any) -> Any:
    """A constant for one field, never the right one."""
    match value:
        case bool():
            return not value
        case str():
            words = [each for each in _constants(value) if each.casefold() != value.casefold()]
            return rng.choice(words)
        case int() | float():
            return rng.choice([each for each in map(int, NUMBERS) if each != value])
    return value


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
