"""Values of Roman numerals; the numeral of a number is a rule of texts."""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern

LETTERS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
NUMERAL = re.compile(r"(?<![\w'-])[IVXLCDM]+(?![\w'-])")
STRICT = re.compile(r"M{0,4}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
ASKS = has(
    r"\b(?:arabic|decimal|integer|ordinary|numeric(?:al)?|value|convert\w*|number|figures?"
    r"|digits?|read)\b"
)
OTHERWISE = has(
    r" [+*\u00d7\u00f7-] |\b(?:plus|minus|add|added|sum|subtract|times|product|difference"
    r"|larger|greater|next|previous|reverse\w*|how many|well-formed|sort\w*|century|king|pope"
    r"|additive|etruscan|overline\w*|vinculum)\b"
)
INTEGER = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,7}")


def value(prompt: str) -> Solved | None:
    """The value of the only numeral of a prompt, which is written in the standard way."""
    numerals = {match[0] for match in NUMERAL.finditer(prompt)} - {"I", "C", "D", "M"}
    if len(numerals) != 1 or not ASKS(prompt):
        return None
    (numeral,) = numerals
    if not STRICT.fullmatch(numeral):
        return None
    values = [LETTERS[letter] for letter in numeral]
    signs = [-1 if a < b else 1 for a, b in zip(values, [*values[1:], 0], strict=True)]
    return Solved((str(sum(a * sign for a, sign in zip(values, signs, strict=True))),))


def integer(answer: str) -> str:
    """A whole number without separators; empty for other answers."""
    text = answer.strip().rstrip(".")
    return str(int(text.replace(",", ""))) if INTEGER.fullmatch(text) else ""


RULES = (
    KnownRule("the value of its Roman numeral", pattern(r"\broman\b"), value, integer, OTHERWISE),
)
