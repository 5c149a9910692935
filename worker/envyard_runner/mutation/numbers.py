"""The changes of numbers in an answer; None where it has none that could be changed."""

from __future__ import annotations

import re

INTEGER = re.compile(r"-?\d{1,3}(?:,\d{3})+|-?\d+")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w.])")
WITH_UNIT = re.compile(r"(?<=\d)(\s?)(km|kg|cm|mm|mg|ml|min|[mgslhAVW]|%|hours?|days?|dollars?)\b")
# A unit with its prefix, and another prefix than each; `min` and `mol` are units of their own.
PREFIXES = {"": "m", "m": "", "k": "", "M": "k", "G": "M", "c": "", "\u00b5": "m", "u": "m"}
NEVER_SMALL = ("B", "b", "bit", "Hz", "ohm", "ohms", "\u2126", "\u03a9")
PREFIXED = re.compile(
    r"(?<=\d)(\s?)([mkMGc\u00b5u]?)(A|V|W|Wh|Hz|J|N|Pa|F|H|\u2126|\u03a9|ohms?|[gmsl]|L|B|b|bit|eV|mol)\b"
)
NOISY = re.compile(r"-?\d{1,12}\.\d{11,18}")  # decimals, more than anybody writes
SMALLEST_NEAR = 20  # numbers below are not 6 % larger by a whole number
FEW_WORDS = 4
# A number with its sign and a unit, such as -2.4 °C, or with a plus; no number of a telephone.
SIGNED_UNIT = re.compile(
    r"(?![+]\d{7})(?:(?=[+]\d)|(?=[+\u2212-]\d[\d.,]*[ \u00a0]?[^\d\s,.]))([+\u2212-])"
    r"(\d[\d,]{0,14}(?:\.\d{1,9})?(?:[ \u00a0]?[^\d\s,.][^\d\n]{0,19})?)"
)
# What says the direction beside the sign, and the angle that is the same with either sign.
DIRECTED = re.compile(
    r"\b(?:below|above|under|over|less|lower|more|higher|down|up|decrease|increase|loss|"
    r"north|south|east|west)\b|\u00b0 ?[NSEW]\b|\b180 ?(?:\u00b0|deg)",
    re.IGNORECASE,
)
# Prompts whose answer may be below zero; where none is, a verifier need not read the sign.
SIGNED = re.compile(
    r"[-\u2212] ?\d|\b(?:minus|negativ|subtract|differ|below|temperature|degree|balance|profit|"
    r"loss|net\b|debt|chang|slope|coordinat|solv|equation|evaluat|comput|calculat|integer|real|x\b|sign)",
    re.IGNORECASE,
)
PLAIN_NUMBER = re.compile(r"(?<![\d.])\d{1,9}(?![\d.])")
DIGITS = re.compile(r"(?<![\d.])\d{2,}")  # none behind a decimal point
CODE = re.compile(r"(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{2,24}", re.IGNORECASE)  # letters and digits
# Prompts of which several answers are right, where a number that is one smaller may be another one.
SEVERAL = re.compile(
    r"\b(?:propose|suggest)\b"
    r"|\b(?:any|(?:a|one) (?:possible|feasible|free|suitable|acceptable)) (?:\w+ ){0,2}"
    r"(?:times?|slots?|days?|dates?|hours?|pairs?|solutions?|moves?|numbers)\b",
    re.IGNORECASE,
)
LONGEST_INTEGER = 9  # digits; of longer numbers the last digit may be rounding
LONGEST_GROUPED = 1_000  # characters; Python refuses to read numbers of many thousands


def digit(answer: str) -> str | None:
    """Another first digit of the first number, or of a code such as `Fe2O3`: never within a
    tolerance."""
    match = re.search(r"[1-9]", answer)
    if match is None or not (is_numeric(answer) or CODE.fullmatch(answer.strip())):
        return None
    other = (int(match[0]) + 2) % 9 + 1
    return answer[: match.start()] + str(other) + answer[match.end() :]


def last_digit(answer: str) -> str | None:
    """The next last digit of an answer that is one whole number."""
    text = answer.strip()
    if not INTEGER.fullmatch(text) or len(text) > LONGEST_INTEGER or len(text.lstrip("-")) < 2:
        return None
    return text[:-1] + str((int(text[-1]) + 1) % 10)


def exchanged(answer: str) -> str | None:
    """A number with its first two neighbouring digits exchanged that differ: the same characters,
    and never within a tolerance. A number of many digits may be a code, or an estimate."""
    for match in DIGITS.finditer(answer):
        pairs = (at for at in range(match.start(), match.end() - 1))
        at = next((at for at in pairs if answer[at] != answer[at + 1] != "0"), None)
        if at is not None and len(match[0]) <= LONGEST_INTEGER and is_written(answer):
            return answer[:at] + answer[at + 1] + answer[at] + answer[at + 2 :]
    return None


def last_number(answer: str) -> str | None:
    """Another last number, of two or more that are no list: a date, a time, a fraction."""
    text = answer.strip()
    matches = [*PLAIN_NUMBER.finditer(text)]
    written = len(matches) > 1 and is_written(text) and "," not in text
    place = (
        next((at for at in range(*matches[-1].span()) if text[at] != "0"), None)
        if matches
        else None
    )
    if not written or place is None:
        return None
    return text[:place] + str((int(text[place]) + 2) % 9 + 1) + text[place + 1 :]


def stepped(answer: str) -> str | None:
    """The first whole number from 1 on one smaller, of two or more: unlike another digit, it is in
    the same range, as the minutes of a time or the weekday of a schedule."""
    text = answer.strip()
    matches = [*PLAIN_NUMBER.finditer(text)]
    match = next((match for match in matches if int(match[0])), None)
    if len(matches) < 2 or match is None or not is_written(text):
        return None
    smaller = str(int(match[0]) - 1).zfill(len(match[0]) if match[0][0] == "0" else 1)
    return text[: match.start()] + smaller + text[match.end() :]


def near(answer: str) -> str | None:
    """A whole number that is 6 % larger."""
    text = answer.strip().replace(",", "")
    if not INTEGER.fullmatch(text) or len(text.lstrip("-")) > LONGEST_INTEGER:
        return None
    if abs(int(text)) < SMALLEST_NEAR:
        return None
    return str(round(int(text) * 1.06))


def sign(answer: str) -> str | None:
    """The other sign of an answer that is one number other than 0, or one with a sign before it and
    a unit behind it that names no direction."""
    text = answer.strip()
    if signed := SIGNED_UNIT.fullmatch(text):
        if DIRECTED.search(text):
            return None
        other = "+" if signed[1] != "+" else "-"
        return f"{other}{signed[2]}" if re.search(r"[1-9]", signed[2]) else None
    if not NUMBER.fullmatch(text) or not re.search(r"[1-9]", text):
        return None
    return text[1:] if text.startswith("-") else f"-{text}"


def may_be_negative(answer: str, prompt: str) -> bool:
    """Whether the answer is below zero, or the prompt leaves it open."""
    return answer.strip()[:1] in ("-", "+", "\u2212") or not prompt or bool(SIGNED.search(prompt))


def unit(answer: str) -> str | None:
    """Another unit behind a number."""
    match = WITH_UNIT.search(answer)
    if match is None:
        return None
    other = "kg" if match[2] not in ("kg", "g", "mg") else "km"
    return f"{answer[: match.start(2)]}{other}{answer[match.end(2) :]}"


def prefix(answer: str) -> str | None:
    """The same number with a unit that is larger or smaller by its prefix, such as A for mA."""
    match = PREFIXED.search(answer)
    if match is None or not is_written(answer):
        return None
    other = "k" if not match[2] and match[3] in NEVER_SMALL else PREFIXES[match[2]]
    return f"{answer[: match.start(2)]}{other}{match[3]}{answer[match.end(3) :]}"


def nan(answer: str) -> str | None:
    """`nan` for one number: no comparison with it is true, so `abs(a - b) > tolerance` is not."""
    return "nan" if NUMBER.fullmatch(answer.strip()) else None


def thousands(answer: str) -> str | None:
    """A whole number from 1,000 on with separators, or without those that it has."""
    text = answer.strip()
    if not INTEGER.fullmatch(text) or len(text) > LONGEST_GROUPED:
        return None
    if abs(int(text.replace(",", ""))) < 1000:
        return None
    return text.replace(",", "") if "," in text else f"{int(text):,}"


def rounding(answer: str) -> str | None:
    """60.900000000000006 as 60.9: the error is that of binary fractions, not of the answer."""
    text = answer.strip()
    if not NOISY.fullmatch(text):
        return None
    shorter = f"{float(text):.10f}".rstrip("0").rstrip(".")
    return shorter if len(shorter) < len(text) - 5 else None


def is_written(answer: str) -> bool:
    """Whether the answer is one line without letters, or of few words."""
    return "\n" not in answer.strip() and len(re.findall(r"[^\W\d_]+", answer)) <= FEW_WORDS


def is_numeric(answer: str) -> bool:
    """Whether the answer is short and its numbers are what matters in it."""
    return bool(NUMBER.search(answer)) and len(answer.split()) <= 4
