"""The resistance that the colour bands of a resistor show."""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern

COLOURS = ("black", "brown", "red", "orange", "yellow", "green", "blue", "violet", "grey", "white")
VALUES = {colour: value for value, colour in enumerate(COLOURS)} | {"purple": 7, "gray": 8}
POWERS = VALUES | {"gold": -1, "silver": -2}
WORD = rf"(?:{'|'.join(POWERS)})"
BANDS = re.compile(
    rf"\b{WORD}(?:(?:, ?| ?[-\u2013/|>]{{1,2}} ?|\s+)(?:and )?{WORD}\b){{2,6}}(?! ?[=:]? ?-?\d)",
    re.IGNORECASE,
)
ASKS = has(r"\b(?:resistance|ohms?|nominal value|resistor(?:'s)? value|value)\b")
THREE_DIGITS = has(r"\bfirst three\b|\bthree digits\b")
TWO_DIGITS = has(r"\bfirst two\b|\btwo digits\b")
OTHERWISE = has(
    r"\b(?:capacitors?|inductors?|revers\w*|right to left|in (?:series|parallel)|range|minimum"
    r"|maximum|worst[- ]case|fuse|military)\b"
)
VALUE = re.compile(
    r"(?P<number>\d{1,15}(?:[.,]\d{1,9})?(?:e[+-]?\d{1,2})?) ?"
    r"(?P<prefix>[kKMG]|kilo-?|mega-?|giga-?)?"
    r" ?(?:ohms?|\u03a9|\u2126|R)?(?:,? ?(?:\u00b1|\+/-) ?[\d.]+ ?%)?\.?",
)
PREFIXES = {"": 0, "k": 3, "M": 6, "G": 9, "kilo": 3, "mega": 6, "giga": 9}
GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)")


def resistance(prompt: str) -> Solved | None:
    """The value of the only list of three to six bands."""
    matches = [*BANDS.finditer(prompt)]
    if len(matches) != 1 or not ASKS(prompt):
        return None
    bands = [band.casefold() for band in re.findall(WORD, matches[0][0], re.IGNORECASE)]
    digits = 2 if len(bands) <= 4 else 3
    if len(bands) == 4 and THREE_DIGITS(prompt):
        digits = 3
    elif len(bands) > 6 or (len(bands) == 5 and TWO_DIGITS(prompt)):
        return None
    if any(band not in VALUES for band in bands[:digits]) or len(bands) <= digits:
        return None
    value = int("".join(str(VALUES[band]) for band in bands[:digits]))
    return Solved((f"{value * 10.0 ** POWERS[bands[digits]]:.10g}",))


def ohms(answer: str) -> str:
    """The number of ohms without a tolerance; empty for other answers."""
    text = GROUPED.sub(lambda match: match[0].replace(",", ""), answer.strip())
    match = VALUE.fullmatch(text)
    if match is None:
        return ""
    prefix = (match["prefix"] or "").rstrip("-")
    power = PREFIXES[prefix if prefix in PREFIXES else prefix.casefold()]
    return f"{float(match['number'].replace(',', '.')) * 10.0**power:.10g}"


RULES = (
    KnownRule(
        "the resistance of its colour bands", pattern(r"\bresist"), resistance, ohms, OTHERWISE
    ),
)
