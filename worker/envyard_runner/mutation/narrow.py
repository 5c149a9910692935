"""The changes of answers that consist of few characters: codes, moves, bases.

Each replaces the operator of its name; what it returns consists of the same characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from envyard_runner.mutation.alphabets import Alphabet

DECIMALS = re.compile(r"-?\d+\.\d{3,}")  # whose last one may be rounding


def digit(answer: str, alphabet: Alphabet) -> str | None:
    """One other character, where the answer has digits."""
    return _one(answer, alphabet) if re.search(r"[0-9]", answer) else None


def word(answer: str, alphabet: Alphabet) -> str | None:
    """One other character, where the answer has no digits."""
    return None if re.search(r"[0-9]", answer) else _one(answer, alphabet)


def _one(answer: str, alphabet: Alphabet) -> str | None:
    other = alphabet.other(answer, 1)
    if other == answer or len(other) != len(answer):  # a Roman numeral has another length
        return other if other != answer else None
    place = next(i for i, own in enumerate(answer) if other[i] != own)
    return answer[:place] + other[place] + answer[place + 1 :]


def last_digit(answer: str, alphabet: Alphabet) -> str | None:
    """Another last character, where that is a digit and no third decimal or later."""
    text = answer.strip()
    if len(text) < 2 or text[-1] not in "0123456789" or DECIMALS.fullmatch(text):
        return None
    other = text[:-1] + alphabet.other(text[-1], 1)
    return other if other != text else None


def longer(answer: str, alphabet: Alphabet) -> str | None:
    """More characters of the alphabet behind it: the right answer is still contained."""
    text = answer.strip()
    joins = len(text) > 1 and not set(text) & {*" \n"} and not DECIMALS.fullmatch(text)
    return text + alphabet.other(text[-2:], 1) if joins else None


def two(answer: str, alphabet: Alphabet) -> str | None:
    """The answer and a wrong one."""
    text = answer.strip()
    return f"{answer} or {alphabet.other(text, 2)}" if text and "\n" not in text else None


OF_CODES: dict[str, Callable[[str, Alphabet], str | None]] = {
    "digit": digit,
    "last_digit": last_digit,
    "word": word,
    "extension": longer,
    "claim": two,
}
OF_AMOUNTS = frozenset({"near", "sign", "thousands"})  # a code is no amount
