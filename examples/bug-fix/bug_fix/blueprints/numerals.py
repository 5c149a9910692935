"""Blueprint: Roman numerals."""

import random

from bug_fix.blueprint import Blueprint, Bug, Call


def hidden_calls(rng: random.Random) -> list[Call]:
    """Calls that distinguish every bug from the right code, some fixed and some drawn."""
    calls: list[Call] = [
        ("PKG.convert", "from_roman", [text])
        for text in ("XX", "III", "IIII", "IC", "MCMXCIV", "", "ABC")
    ]
    calls += [("PKG.convert", "to_roman", [number]) for number in (0, 10, 44, 3999, 4000)]
    for _ in range(20):
        calls.append(("PKG.convert", "to_roman", [rng.randint(1, 3999)]))
    return calls


ROMAN = Blueprint(
    noun="numerals",
    files={
        "PKG/table.py": '''\
"""Roman signs by value, the largest first."""

SIGNS = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]
VALUES = {sign: value for value, sign in SIGNS if len(sign) == 1}
''',
        "PKG/convert.py": '''\
"""Between numbers and Roman numerals."""

from PKG.table import SIGNS, VALUES


def to_roman(number):
    """The numeral of 1 to 3999; ValueError for anything else."""
    if not 1 <= number <= 3999:
        raise ValueError("only 1 to 3999 have a numeral")
    text = ""
    for value, sign in SIGNS:
        while number >= value:
            text += sign
            number -= value
    return text


def from_roman(text):
    """The number of a numeral in the usual form; ValueError for anything else."""
    total = 0
    for sign, following in zip(text, text[1:] + " "):
        value = VALUES.get(sign, 0)
        total += -value if VALUES.get(following, 0) > value else value
    if total < 1 or to_roman(total) != text:
        raise ValueError("not a numeral")
    return total
''',
    },
    tests='''\
from PKG.convert import from_roman, to_roman


def test_small_numbers():
    assert [to_roman(n) for n in (1, 2, 3, 5, 6)] == ["I", "II", "III", "V", "VI"]


def test_reading_a_sum():
    assert from_roman("XVI") == 16
''',
    bugs=(
        Bug("PKG/table.py", '"L"), (40, "XL"), (10', '"L"), (10',
            "44 is written XXXXIV instead of XLIV."),
        Bug("PKG/convert.py", "while number >= value", "while number > value",
            "Most numerals are cut short: 10 is written IX and 2 is written I."),
        Bug("PKG/convert.py", "> value else value", ">= value else value",
            "Reading XX or III fails with an error, although they are fine numerals."),
        Bug("PKG/convert.py", "or to_roman(total) != text", "or total > 3999",
            "IIII and IC are read as numbers; they should be refused with ValueError."),
    ),
    calls=hidden_calls,
)  # fmt: skip
