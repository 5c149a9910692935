"""Check digits of ISBN, EAN and UPC, and those of the Luhn algorithm."""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.entry import (
    KnownRule,
    Solved,
    has,
    pattern,
    verdict,
    words_of,
    yes_or_no,
)

NUMBER = re.compile(r"(?<![\w.,-])\d(?:[ -]?\d){6,22}(?:[ -]?[xX])?(?![\w-]|[.,]\d)")
ISBN_10 = pattern(r"\bISBN[- ]?10\b")
ISBN_13 = pattern(r"\bISBN[- ]?13\b|\bEAN(?:[- ]?13)?\b")
UPC = pattern(r"\bUPC(?:-A)?\b")
LUHN = pattern(r"\bluhn\b")
KINDS = (("isbn 10", ISBN_10, 10), ("ean", ISBN_13, 13), ("ean", UPC, 12), ("luhn", LUHN, 0))
PLACEHOLDER = re.compile(r"(?<=\d)[- ]?[?_*#]{1,2}(?![\w])")
CHECK = has(
    r"\b(?:check|control)(?:sum)?[- ]?(?:digit|character)|\b(?:last|missing|final) digit\b"
    r"|\bappend\w*\b"
)
VALID = has(r"\b(?:valid\w*|correct|pass(?:es)?)\b")
OTHERWISE = has(
    r"\b(?:swap\w*|transpos\w*|mod(?:ulo)?[- ]?(?:37|97)|verhoeff|damm|convert\w*|ean-?8|issn"
    r"|how many)\b"
    r"|[?_*#]\d"
)


def digit(kind: str, body: str) -> str:
    """The check digit behind the other digits; `X` is ten."""
    values = [int(each) for each in body]
    if kind == "isbn 10":
        rest = -sum((10 - at) * value for at, value in enumerate(values)) % 11
        return "X" if rest == 10 else str(rest)
    if kind == "ean":
        return str(-sum(v * (3 - 2 * (at % 2)) for at, v in enumerate(reversed(values))) % 10)
    doubled = [v if at % 2 else 2 * v - 9 * (v > 4) for at, v in enumerate(reversed(values))]
    return str(-sum(doubled) % 10)


def _number(prompt: str) -> tuple[str, str, int] | None:
    """The kind of the only number of a prompt, its digits, and how many it has when complete."""
    kinds = [(kind, length) for kind, words, length in KINDS if words.search(prompt)]
    numbers = {
        re.sub("[ -]", "", match[0]).upper()
        for match in NUMBER.finditer(PLACEHOLDER.sub(" ", prompt))
    }
    if len(kinds) != 1 or len(numbers) != 1:
        return None
    (kind, length), (number,) = kinds[0], numbers
    return kind, number, length


def check_digit(prompt: str) -> Solved | None:
    """The digit that completes the number of a prompt."""
    known = _number(prompt)
    if known is None or not CHECK(prompt) or ASKS_VERDICT(prompt):
        return None
    kind, number, length = known
    if not number.isdigit() or (length and len(number) != length - 1):
        return None
    return Solved((digit(kind, number),))


def is_valid(prompt: str) -> Solved | None:
    """Whether the check digit of a whole number is right."""
    known = _number(prompt)
    if known is None or not VALID(prompt) or not ASKS_VERDICT(prompt):
        return None
    kind, number, length = known
    if (length and len(number) != length) or not number[:-1].isdigit():
        return None
    if number[-1] == "X" and kind != "isbn 10":
        return None
    return yes_or_no(digit(kind, number[:-1]) == number[-1])


ASKS_VERDICT = has(r"\bvalid\b[^\n]{0,40}\binvalid\b|\b(?:is|does|do|decide|whether)\b[^.?\n]{0,80}"
                   r"\b(?:valid|correct|pass)|\byes\b[^\n]{0,20}\bno\b")  # fmt: skip


def one_digit(answer: str) -> str:
    """A digit, or `X` for ten; empty for other answers."""
    words = words_of(answer)
    return "X" if words in ("x", "10") else words if re.fullmatch("[0-9]", words) else ""


NUMBERED = pattern(r"\b(?:ISBN|EAN|UPC|luhn)\b|\bISBN|\bEAN")
RULES = (
    KnownRule("the check digit of its number", NUMBERED, check_digit, one_digit, OTHERWISE),
    KnownRule("whether its check digit is right", NUMBERED, is_valid, verdict, OTHERWISE),
)
