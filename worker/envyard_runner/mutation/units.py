"""Amounts in another of the units that a prompt allows, such as °F in "answer in °C, °F or K"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

SENTENCE = re.compile(r"(?:[^.?!;\n]|\.(?=\d))+")
EXCLUDED = re.compile(
    r"\b(?:not|no|never|without|instead|rather|avoid|convert|unless|depending|according|same|whole"
    r"|match\w*|correspond\w*|appropriate|suitable|proper"
    r"|below|above|under|over|(?:more|less) than|up to|from \d+|else|otherwise"
    r"|request\w*|specif\w*|indicat\w*"
    r"|if(?! you)|as (?:asked|given|shown|in the)|whichever(?! (?:unit )?you))\b",
    re.IGNORECASE,
)
REPLIED = re.compile(
    r"\b(?:answer|give|reply|respond|write|state|express|report|put|use|accept\w*|allowed|fine"
    r"|(?:ends?|finish|close) with|of the form|as you (?:like|prefer|wish)"
    r"|whichever (?:unit )?you)\b",
    re.IGNORECASE,
)
AMOUNT = re.compile(r"(?P<number>-?\d{1,12}(?:\.\d{1,9})?)(?P<space> ?)(?P<unit>[^\d\s].{0,18})")
WHOLE = re.compile(r"\b(?:whole numbers?|integers?|nearest)\b", re.IGNORECASE)
# An answer that is rounded in a large unit is no right one in a smaller unit.
ROUNDED = re.compile(
    r"\b(?:round(?:ed|ing)?|significant)\b|(?<!at least )\b(?:\d|one|two|three|four) decimal",
    re.IGNORECASE,
)
AT_LEAST = re.compile(
    r"\bat least (?:\d|[a-z]{3,5}) significant\b", re.IGNORECASE
)  # rounds nothing
# The sign of micro and the Greek letter look the same; case folding makes the letter of both.
MICRO_SIGN, MU = "\u00b5", "\u03bc"
BOTH_MICROS = str.maketrans({MICRO_SIGN: MU, MU: MICRO_SIGN})
OF_SIGNS = re.compile(r"\b(?:unicode|code points?|verbatim|cop(?:y|ied))\b", re.IGNORECASE)
SMALLER = 2  # times: from which on a unit is a smaller one
MORE = 2  # decimals, and significant digits, beyond those of the answer


class Unit(NamedTuple):
    """Its quantity, and how many of the quantity's base unit one is, behind an offset."""

    quantity: str
    factor: Decimal
    offset: Decimal = Decimal(0)


def _units() -> Iterator[tuple[str, Unit]]:
    rows = (
        ("length", "nm nanometre nanometer", "0.000000001"),
        ("length", f"{MU}m micrometre micrometer", "0.000001"),
        ("length", "mm millimetre millimeter", "0.001"),
        ("length", "cm centimetre centimeter", "0.01"),
        ("length", "m metre meter", "1"), ("length", "km kilometre kilometer", "1000"),
        ("length", "inch inche in", "0.0254"), ("length", "ft foot feet", "0.3048"),
        ("length", "yd yard", "0.9144"), ("length", "mi mile", "1609.344"),
        ("mass", f"{MU}g ug mcg microgram", "0.000000001"),
        ("mass", "mg milligram", "0.000001"), ("mass", "g gram", "0.001"),
        ("mass", "kg kilogram", "1"), ("mass", "lb pound", "0.45359237"),
        ("mass", "oz ounce", "0.028349523125"), ("mass", "t tonne", "1000"),
        ("time", f"{MU}s microsecond", "0.000001"),
        ("time", "ms millisecond", "0.001"), ("time", "s sec second", "1"),
        ("time", "min minute", "60"), ("time", "h hr hour", "3600"), ("time", "d day", "86400"),
        ("volume", f"{MU}l ul microlitre microliter", "0.000001"),
        ("volume", "ml millilitre milliliter", "0.001"),
        ("volume", "cl centilitre centiliter", "0.01"),
        ("volume", "l litre liter", "1"),
        ("speed", "m/s", "1"), ("speed", "km/h kph", f"{Decimal(1000) / 3600}"),
        ("speed", "mph", "0.44704"),
        ("energy", "j joule", "1"), ("energy", "kj kilojoule", "1000"), ("energy", "kcal", "4184"),
        ("energy", "wh", "3600"), ("energy", "kwh", "3600000"),
    )  # fmt: skip
    for quantity, names, factor in rows:
        for name in names.split():
            yield name, Unit(quantity, Decimal(factor))
            if len(name) > 2:
                yield f"{name}s", Unit(quantity, Decimal(factor))
    for names, factor, offset in (
        ("°c c celsius", "1", "0"),
        ("°f f fahrenheit", f"{Decimal(5) / 9}", f"{Decimal(-160) / 9}"),
        ("k kelvin kelvins", "1", "-273.15"),
    ):
        for name in names.split():
            yield name, Unit("temperature", Decimal(factor), Decimal(offset))


UNITS = dict(_units())
PATTERNS = {name: re.escape(name) for name in UNITS}
PATTERNS["in"] = "in(?! (?!or )[a-z])"  # "cm or in metres" names no inches
_NAME = "|".join(PATTERNS[name] for name in sorted(UNITS, key=len, reverse=True))
LISTED = re.compile(
    rf"(?<![\w°/])(?:{_NAME})(?:(?:,? or |, ?| ?/ ?)(?:degrees )?(?:{_NAME})(?![\w/])){{1,6}}",
    re.IGNORECASE,
)
NAME = re.compile(rf"(?<![\w°/])(?:{_NAME})(?![\w/])", re.IGNORECASE)


def other_unit(answer: str, prompt: str) -> str | None:
    """The amount in another unit that a sentence of the prompt allows; None for a number alone."""
    match = AMOUNT.fullmatch(answer.strip())
    own = UNITS.get(match["unit"].casefold()) if match else None
    if match is None or own is None or WHOLE.search(prompt):
        return None
    is_rounded = ROUNDED.search(AT_LEAST.sub("", prompt))
    least = own.factor / SMALLER if is_rounded else Decimal(0)
    for names in _allowed(prompt):
        units = [UNITS[name.casefold()] for name in names]
        for name, unit in zip(names, units, strict=True) if own in units else ():
            if unit.quantity == own.quantity and unit != own and unit.factor >= least:
                number = Decimal(match["number"])
                value = (number * own.factor + own.offset - unit.offset) / unit.factor
                return f"{_written(value, number)}{match['space']}{name}"
    return None


def micro_sign(answer: str, prompt: str) -> str | None:
    """The amount in a unit such as µL with the Greek letter in the place of the sign of micro, or
    with that: in its own unit, else in another one that the prompt allows."""
    if OF_SIGNS.search(prompt):
        return None
    shown = (answer.strip(), other_unit(answer, prompt) or "")
    return next(
        (
            text.translate(BOTH_MICROS)
            for text in shown
            if (match := AMOUNT.fullmatch(text)) and match["unit"][0] in (MICRO_SIGN, MU)
        ),
        None,
    )


def _written(value: Decimal, number: Decimal) -> str:
    """The value with MORE decimals and significant digits than the number that it is made of."""
    _, digits, exponent = number.as_tuple()
    decimals = max(0, -int(exponent))
    places = max(decimals, len(digits) - 1 - value.adjusted() if value else 0) + MORE
    return f"{value:.{places}f}"


def _allowed(prompt: str) -> Iterator[list[str]]:
    """The names of units that a sentence on the reply lists as alternatives, list by list."""
    for sentence in SENTENCE.findall(prompt):
        if " or " in sentence and REPLIED.search(sentence) and not EXCLUDED.search(sentence):
            for listed in LISTED.finditer(sentence):
                if " or " in listed[0]:
                    yield NAME.findall(listed[0])
