"""Changes of answers that are a word, or few words."""

from __future__ import annotations

import re

from envyard_runner.mutation.numbers import FEW_WORDS
from envyard_runner.mutation.pairs import half_of_day
from envyard_runner.mutation.wrong_answers import OPPOSITES, OPTIONS, shifted

LONG_WORD = 8  # letters, of which one may be overlooked
LABEL = re.compile(r"^[^\W\d_][\w ]{0,30}:(?=[ \t])", re.MULTILINE)  # of a line
SHORTEST_WORD = 4  # of which the first character is no abbreviation


def opposite(answer: str) -> str | None:
    """The opposite of a word such as yes, another option's letter, or the other half of a day."""
    word = answer.strip()
    if other := half_of_day(word):
        return other
    if len(word) == 1 and word.upper() in OPTIONS:
        other = OPTIONS[1 if word in "aA" else 0]
        return other if word.isupper() else other.lower()
    other = OPPOSITES.get(word.lower(), "")
    return (other.title() if word[:1].isupper() else other) or None


def word(answer: str) -> str | None:
    """Other letters in the longest word of an answer in words; of several lines, none in labels."""
    labels = [*LABEL.finditer(answer)] if "\n" in answer.strip() else []
    words = [
        each
        for each in re.finditer(r"[^\W\d_]{3,}", answer)
        if not any(label.start() <= each.start() < label.end() for label in labels)
    ]
    if not words or answer.strip().lower() in OPPOSITES:
        return None
    longest = max(words, key=lambda match: len(match[0]))
    return f"{answer[: longest.start()]}{shifted(longest[0], 1)}{answer[longest.end() :]}"


def other_word(answer: str) -> str | None:
    """Other letters in the last of a few words, or in the first where the last is the longest."""
    words = re.findall(r"[^\W\d_]{3,}", answer)
    if not 1 < len(words) <= FEW_WORDS or len({*words}) < len(words) or "," in answer:
        return None
    chosen = words[-1] if words[-1] != max(words, key=len) else words[0]
    return answer.replace(chosen, shifted(chosen, 1), 1)


def letters(answer: str) -> str | None:
    """The letters of an answer that is one word, in reverse order: a word of the same letters."""
    text = answer.strip()
    changes = len(text) > 3 and text.isalpha() and text.casefold() != text[::-1].casefold()
    return text[::-1] if changes else None


def one_letter(answer: str) -> str | None:
    """One letter in the middle of a long word, or of one in capitals, changed into another letter
    of the answer."""
    words = re.findall(r"[^\W\d_]{5,}", answer)
    longest = max(words, key=len, default="")
    if len(longest) < LONG_WORD and not longest.isupper():
        return None
    at = len(longest) // 2
    other = next((each for each in longest[at + 1 :] + longest[:at] if each != longest[at]), "")
    changed = f"{longest[:at]}{other}{longest[at + 1 :]}"
    return answer.replace(longest, changed, 1) if other else None


def capitals(answer: str) -> str | None:
    """Other capitals in a word whose capitals mean nothing."""
    return answer.swapcase() if answer.strip().lower() in OPPOSITES else None


def initial(answer: str) -> str | None:
    """The first character of one word or number; not of `yes`, for which `y` may stand."""
    text = answer.strip()
    if len(text) < SHORTEST_WORD or not text.isalnum() or text.lower() in OPPOSITES:
        return None
    return text[0]
