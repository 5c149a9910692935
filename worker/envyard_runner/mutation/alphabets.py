"""The characters of which the answers of a set consist, where they are fewer than all.

Wrong answers keep to them: a verifier that reads `[01]+`, bases or moves sees no answer in others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

DIGITS = "0123456789"
LOWER = "abcdefghijklmnopqrstuvwxyz"
SETS = {"digit": DIGITS, "lower": LOWER, "upper": LOWER.upper()}
# Sets of codes: binary and octal numbers, hexadecimal letters, bases, moves, directions.
KNOWN = {
    "digit": ("01", "01234567"),
    "lower": ("abcdef", "acgt", "acgu", "udlr", "nesw"),
    "upper": ("ABCDEF", "ACGT", "ACGU", "UDLR", "NESW"),
}
CHANCE = 0.01  # that answers of any characters use so few of them
MOST = 8  # characters of a set that no list names
MOST_SYMBOLS = 12
OPTIONS = 6  # characters, from which a set of single ones is no code
UNIT = re.compile(r"(?<=\d)[^\w\n]{1,3}[^\W\d_]{1,3}\Z")
PREFIX = re.compile(r"0[xbo]|#", re.IGNORECASE)
ROMAN = re.compile(r"(?=.)M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})", re.IGNORECASE)
NUMERALS = (
    ("M", 1000), ("CM", 900), ("D", 500), ("CD", 400), ("C", 100), ("XC", 90), ("L", 50),
    ("XL", 40), ("X", 10), ("IX", 9), ("V", 5), ("IV", 4), ("I", 1),
)  # fmt: skip
LARGEST_NUMERAL = 3999


@dataclass(frozen=True, slots=True)
class Alphabet:
    """The narrow sets by kind of character (`digit`, `lower`, ...); other kinds are not narrow.

    `zeros`: some answer of several characters begins with 0. `roman`: all are Roman numerals.
    """

    narrow: Mapping[str, str] = field(default_factory=dict)
    zeros: bool = True
    roman: bool = False

    @classmethod
    def of(cls, answers: Iterable[str]) -> Alphabet:
        """The alphabet of these answers; nothing is narrow where they are too few to tell."""
        stripped = _without_unit([each.strip() for each in answers if each.strip()])
        texts = list(dict.fromkeys(map(body_of, stripped)))
        used: dict[str, list[str]] = {}
        for character in "".join(texts):
            used.setdefault(_kind(character), []).append(character)
        narrow = {kind: chosen for kind, each in used.items() if (chosen := _narrowed(kind, each))}
        if all(len(text) == 1 for text in texts):  # options, whose letters are also hexadecimal
            narrow = {kind: chosen for kind, chosen in narrow.items() if len(chosen) < OPTIONS}
        if used.keys() - {"symbol", "space"}:
            narrow.pop("symbol", None)
        zeros = any(text[0] == "0" for text in texts if len(text) > 1)
        letters = sum(map(len, texts))
        roman = len(texts) > 1 and letters > 3 and all(map(ROMAN.fullmatch, texts))
        return cls(narrow, zeros, roman)

    @property
    def is_of_codes(self) -> bool:
        """Whether digits stand for no amounts: binary and hexadecimal codes."""
        letters = {self.narrow.get("lower", "").lower(), self.narrow.get("upper", "").lower()}
        return self.narrow.get("digit") == "01" or "abcdef" in letters

    def covers(self, text: str) -> bool:
        """Whether all letters of the text are of narrow sets, or its digits are."""
        kinds = {_kind(character) for character in body_of(text.strip())} - {"space", "symbol"}
        wide = {kind for kind in kinds if kind not in self.narrow}
        return bool(self.narrow) and wide <= ({"digit"} if self.is_of_codes else set())

    def other(self, text: str, step: int) -> str:
        """The text with other characters of the same sets, and others for each step.

        By how much a character changes depends on its place: a renaming of all colours of a map, or
        of both sides of a cut, would be as right as before. Of two characters a third stays.
        """
        if self.roman and ROMAN.fullmatch(text):
            return _other_numeral(text, step)
        head = PREFIX.match(text)
        start = head.end() if head else 0
        places = [i for i in range(start, len(text)) if _kind(text[i]) in self._changed]
        characters = list(text)
        for number, place in enumerate(places):
            last = number == len(places) - 1
            if last or not self._stays(text[place], number, step):
                characters[place] = self._another(text, place, number + step, start)
        changed = "".join(characters)
        if changed == text and places:  # a first digit that may not become 0
            characters[places[-1]] = self._another(text, places[-1], step, -1)
        return "".join(characters)

    @property
    def _changed(self) -> set[str]:
        return {*self.narrow, "digit"} if self.is_of_codes else set(self.narrow)

    def _set(self, character: str) -> str:
        return self.narrow.get(_kind(character)) or SETS[_kind(character)]

    def _stays(self, character: str, number: int, step: int) -> bool:
        return len(self._set(character)) == 2 and (number + step) % 3 == 2

    def _another(self, text: str, place: int, amount: int, start: int) -> str:
        own, chars = text[place], self._set(text[place])
        if own not in chars or len(chars) < 2:
            return own
        other = chars[(chars.index(own) + 1 + amount % (len(chars) - 1)) % len(chars)]
        if other == "0" and place == start and not self.zeros and len(text) - start > 1:
            left = [each for each in chars if each not in ("0", own)]
            return left[amount % len(left)] if left else own
        return other


def _without_unit(texts: list[str]) -> list[str]:
    """The texts without a unit that all of them end with, such as °C, whose letter is no code."""
    units = {match[0] for text in texts if (match := UNIT.search(text))}
    if len(units) != 1 or not all(map(UNIT.search, texts)):
        return texts
    unit = units.pop()
    return [text.removesuffix(unit) for text in texts]


def body_of(text: str) -> str:
    """The text without a sign of its base, such as 0x."""
    head = PREFIX.match(text)
    return text[head.end() :] if head else text


def _kind(character: str) -> str:
    if character.isspace():
        return "space"
    if character.isascii() and character.isalnum():
        return "digit" if character.isdigit() else "lower" if character.islower() else "upper"
    if not character.isalpha():
        return "symbol"
    return "small" if character.islower() else "capital" if character.isupper() else "letter"


def _narrowed(kind: str, used: list[str]) -> str:
    """The set of one kind; empty where it is not narrow."""
    own = "".join(sorted(set(used)))
    if kind in ("space", "symbol"):
        return own if kind == "symbol" and 2 <= len(own) <= MOST_SYMBOLS else ""
    if kind not in SETS:  # of another script, whose letters are too many to list
        return own if len(own) > 1 else ""
    size = len(SETS[kind])
    for known in KNOWN[kind]:
        if set(own) <= set(known) and (len(known) / size) ** len(used) < CHANCE:
            return known
    chance = math.comb(size, len(own)) * (len(own) / size) ** len(used)
    return own if 2 <= len(own) <= MOST and chance < CHANCE else ""


def _other_numeral(text: str, step: int) -> str:
    rest, value = text.upper(), 0
    for numeral, number in NUMERALS:
        while rest.startswith(numeral):
            rest, value = rest[len(numeral) :], value + number
    value = (value + 7 * step - 1) % LARGEST_NUMERAL + 1
    written = ""
    for numeral, number in NUMERALS:
        written += numeral * (value // number)
        value %= number
    return written if text.isupper() else written.lower()


ANY = Alphabet()
