"""Answers in another of the forms that a prompt names: a fraction, a mixed number, a decimal or a
percentage, and the clock of 12 hours.

A prompt that allows several forms in one sentence ("a fraction, a decimal number or a percentage")
must be followed by a verifier that reads each of them.
"""

from __future__ import annotations

import re
from decimal import Decimal

from envyard_runner.mutation.shown_forms import as_shown, on_twelve_hours

SENTENCE = re.compile(r"(?:[^.?!\n]|\.(?=\d))+")
KINDS = {
    "fraction": re.compile(r"\bfractions?\b", re.IGNORECASE),
    "decimal": re.compile(r"\bdecimals?\b(?! places?| digits?)", re.IGNORECASE),
    "percentage": re.compile(r"\bpercent(?:ages?)?\b", re.IGNORECASE),
}
ALTERNATIVES = re.compile(r"\b(?:or|either|any of)\b", re.IGNORECASE)
EXCLUDED = re.compile(r"\b(?:not|no|never|without|instead|rather|avoid)\b", re.IGNORECASE)
BOTH_CLOCKS = re.compile(
    r"\b24[- ]hour\b[^.\n]{0,40}\bor\b[^.\n]{0,30}\b12[- ]hour\b"
    r"|\b12[- ]hour\b[^.\n]{0,40}\bor\b[^.\n]{0,30}\b24[- ]hour\b",
    re.IGNORECASE,
)
MIXED = r"\bmixed (?:numbers?|fractions?)\b"
MIXED_ALLOWED = re.compile(
    rf"(?:\b(?:as|or|either)\b|[,:]) (?:as )?(?:an? )?{MIXED}"
    rf"|{MIXED}(?: \([^()\n]{{1,60}}\))?,? or\b"
    rf"|{MIXED}[^.;\n]{{0,40}}\b(?:allowed|fine|accepted|ok|okay|welcome|too|as well)\b",
    re.IGNORECASE,
)
# The first of a list of forms.
MIXED_FIRST = re.compile(
    rf"{MIXED}, (?:an? )?(?:fraction|decimal|whole number|integer)[^.;\n]{{0,40}}\bor\b",
    re.IGNORECASE,
)
MIXED_REFUSED = re.compile(
    rf"\b(?:not|no|never|without|avoid|instead|than)\b[^.,;\n]{{0,30}}{MIXED}"
    rf"|{MIXED}[^.,;\n]{{0,30}}\b(?:not|never|refused|wrong|cannot)\b",
    re.IGNORECASE,
)
# A whole number as one of the forms, and not as what stands above and below the line.
WHOLE = re.compile(
    r"\b(?:or|either) (?:as )?(?:an? )?(?:whole numbers?|integers?)\b"
    r"|\bas an? (?:whole number|integer)\b|\ban? (?:whole number|integer),? or\b"
    r"|\ban? (?:whole number|integer), an? (?:\w+ )?(?:fraction|mixed number|decimal)\b",
    re.IGNORECASE,
)
IMPROPER = re.compile(r"(-?)(\d{1,9})\s?/\s?(\d{1,9})")
FRACTION = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})")
DECIMAL = re.compile(r"0?\.\d{1,9}")
BRACKETS = re.compile(r" ?\([^()\n]{1,60}\)")  # with an example
HEX_COLOUR = re.compile(r"#([\da-f]{2})([\da-f]{2})([\da-f]{2})", re.IGNORECASE)
SHOWN_RGB = re.compile(
    r"(?P<before>\b(?:or|either)\b[^.\n]{0,30})?"
    r"\brgb\(\w{1,3}(?P<between>, ?)\w{1,3}, ?\w{1,3}\)(?P<behind>[^.\n]{0,10}\bor\b)?",
    re.IGNORECASE,
)
PLAIN = re.compile(r"(-?)([1-9]\d{3,12})((?:\.\d{1,6})?)")
THOUSANDS = (
    r"\b(?:thousands? (?:separators?|commas?|grouping)|separators? (?:of|for) thousands"
    r"|(?:grouping |separating )?commas?(?: (?:as|for|between|in|at) (?:the )?thousands)?)\b"
)
# Of the answer: numbers that are given may have separators which it must not have.
ALLOWS = (
    r"\b(?:you|your (?:final )?(?:answers?|repl(?:y|ies))|the answer|it) (?:may|can) (?:also )?"
)
GROUPS_ALLOWED = re.compile(
    rf"{THOUSANDS}[^.;\n]{{0,40}}\b(?:allowed|fine|accepted|ok|okay|welcome|optional|may be used)\b"
    rf"(?<!not allowed)(?<!not accepted)|\bwith or without {THOUSANDS}"
    rf"|{ALLOWS}(?:write|use|have|contain|include) {THOUSANDS}(?! (?:between|to separate)\b)"
    rf"|{ALLOWS}(?:group (?:\w+ ){{0,4}}|separate (?:the )?(?:digits|thousands) (?:\w+ ){{0,2}})"
    r"(?:commas|separators)\b",
    re.IGNORECASE,
)
NOON = re.compile(r"(?:12|00):[0-5]\d")
PLACES = 6


def allowed(prompt: str) -> set[str]:
    """The forms that a sentence of the prompt names as alternatives; empty where none names two."""
    for sentence in SENTENCE.findall(prompt):
        kinds = {name for name, pattern in KINDS.items() if pattern.search(sentence)}
        if len(kinds) > 1 and ALTERNATIVES.search(sentence) and not EXCLUDED.search(sentence):
            return kinds
    return set()


def percentage(answer: str, prompt: str) -> str | None:
    """A fraction or a decimal as a percentage."""
    value = _value(answer)
    if value is None or "percentage" not in allowed(prompt):
        return None
    return f"{_short(value * 100, PLACES - 2)}%"


def decimal(answer: str, prompt: str) -> str | None:
    """A fraction as a decimal."""
    value = _value(answer)
    if value is None or not FRACTION.fullmatch(answer.strip()) or "decimal" not in allowed(prompt):
        return None
    return _short(value, PLACES)


def mixed(answer: str, prompt: str) -> str | None:
    """An improper fraction as a mixed number, such as -1 3/4 for -7/4."""
    match = IMPROPER.fullmatch(answer.strip())
    if match is None or not _allows_mixed(prompt) or MIXED_REFUSED.search(prompt):
        return None
    upper, lower = int(match[2]), int(match[3])
    if lower == 0 or upper < lower or upper % lower == 0:
        return None
    return f"{match[1]}{upper // lower} {upper % lower}/{lower}"


def _allows_mixed(prompt: str) -> bool:
    """Whether it names a mixed number as one of the forms, also at the beginning of a list, as in
    `a mixed number (4 3/8), a fraction or a decimal number`."""
    return bool(MIXED_ALLOWED.search(prompt) or MIXED_FIRST.search(BRACKETS.sub("", prompt)))


def mixed_negative(answer: str, prompt: str) -> str | None:
    """The same below zero, where the sign must not be that of the whole number alone."""
    return mixed(answer, prompt) if answer.strip().startswith("-") else None


def whole(answer: str, prompt: str) -> str | None:
    """A fraction that is whole, such as 8/1, as a whole number, where that is one of the forms."""
    match = IMPROPER.fullmatch(answer.strip())
    if match is None or int(match[3]) == 0 or int(match[2]) % int(match[3]):
        return None
    named = (each for each in SENTENCE.findall(prompt) if WHOLE.search(each))
    if not any(
        KINDS["fraction"].search(each) and ALTERNATIVES.search(each) and not EXCLUDED.search(each)
        for each in named
    ):
        return None
    return f"{match[1]}{int(match[2]) // int(match[3])}"


def as_rgb(answer: str, prompt: str) -> str | None:
    """A colour such as `#1e90ff` as `rgb(30, 144, 255)`, where the prompt shows that form beside
    another one. Where it shows this very colour, that is to be written in another form."""
    match = HEX_COLOUR.fullmatch(answer.strip())
    shown = next((e for e in SHOWN_RGB.finditer(prompt) if e["before"] or e["behind"]), None)
    if match is None or shown is None:
        return None
    values = shown["between"].join(str(int(part, 16)) for part in match.groups())
    colour = f"rgb({values})"
    return None if colour.replace(" ", "") in prompt.replace(" ", "").lower() else colour


def grouped(answer: str, prompt: str) -> str | None:
    """A number from 1,000 on with separators of thousands, where the prompt allows them."""
    match = PLAIN.fullmatch(answer.strip())
    if match is None or not GROUPS_ALLOWED.search(BRACKETS.sub("", prompt)):
        return None
    return f"{match[1]}{int(match[2]):,}{match[3]}"


def grouped_twice(answer: str, prompt: str) -> str | None:
    """The same of a number from 1,000,000 on: a verifier may read one separator alone."""
    after = grouped(answer, prompt)
    return after if after is not None and after.count(",") > 1 else None


def twelve_hour(answer: str, prompt: str) -> str | None:
    """A time by the clock of 12 hours, such as 12:20 am for 00:20."""
    return on_twelve_hours(answer.strip()) if BOTH_CLOCKS.search(prompt) else None


def noon(answer: str, prompt: str) -> str | None:
    """A time in the hour of noon or midnight by the clock of 12 hours, which calls both 12, where
    the prompt allows that clock or shows it alone."""
    if not NOON.fullmatch(answer.strip()):
        return None
    return twelve_hour(answer, prompt) or as_shown(answer, prompt)


def _value(answer: str) -> Decimal | None:
    """The value of a fraction or a decimal between 0 and 1; None for any other answer."""
    text = answer.strip()
    if DECIMAL.fullmatch(text):
        value = Decimal(text)
    elif (match := FRACTION.fullmatch(text)) and int(match[2]):
        value = Decimal(match[1]) / Decimal(match[2])
    else:
        return None
    return value if 0 < value < 1 else None


def _short(value: Decimal, places: int) -> str:
    return f"{value:.{places}f}"
