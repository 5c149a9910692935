"""Numbers in English words, with the "and" of British English, or without it."""

from __future__ import annotations

import re

ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
SMALL = ["zero", *ONES.split()[:19]]
TENS = ONES.split()[19:]
VALUES = {word: number for number, word in enumerate(SMALL)} | {
    word: 10 * number for number, word in enumerate(["", "ten", *TENS]) if number > 1
}
VALUES |= {"hundred": 100, "thousand": 1000}
LONGEST = 120  # characters of a number in words
WORDS = frozenset(f"zero {ONES} hundred thousand million billion and".split())
QUOTE = "[\"'`\u201c\u201d\u2018\u2019]"
BRITISH = r"(?:British|American) (?:or|and) (?:British|American)"
AND_FREE = re.compile(
    rf"{QUOTE}and{QUOTE}[^.\n]{{0,80}}\b(?:may|optional|either|allowed|fine|accepted|matter)\b"
    rf"|\bwith or without (?:the (?:word )?)?{QUOTE}?and\b"
    rf"|\b{BRITISH}\b[^.\n]{{0,30}}\b(?:English|habit|usage|use|style|spelling|form|custom)",
    re.IGNORECASE,
)
# It must not be there, or it must.
AND_RULED = re.compile(
    rf"\b(?:not|no|never|without|omit|avoid)\b(?<!or without)[^.,;\n]{{0,30}}{QUOTE}and{QUOTE}"
    rf"|{QUOTE}and{QUOTE}[^.,;\n]{{0,40}}"
    r"(?:(?<!or )(?<!or may )(?<!or is )\b(?:not|never)\b(?! matter)"
    r"|\b(?:must|required|needed|mandatory|obligatory|expected)\b)"
    r"|(?:\bwith|(?<!may )(?<!can )(?<!or )\b(?:put|insert|include|write|use|add)) "
    rf"(?:the (?:word )?)?{QUOTE}and{QUOTE}(?! or without| or not)",
    re.IGNORECASE,
)
BEHIND = re.compile(rf"\b(hundred)(?=[ ](?:{'|'.join(ONES.split())})\b)", re.IGNORECASE)
AND = re.compile(r" and\b", re.IGNORECASE)


def number_and(answer: str, prompt: str) -> str | None:
    """A number of hundreds in words, with `and` behind them, or without it where it has one."""
    words = re.findall(r"[a-z]+", answer.casefold())
    if "hundred" not in words or not WORDS.issuperset(words):
        return None
    if not AND_FREE.search(prompt) or AND_RULED.search(prompt):
        return None
    if "and" in words:
        return AND.sub("", answer)
    other = BEHIND.sub(r"\1 and", answer)
    return other if other != answer else None


def words_of(number: int) -> str:
    """A whole number below a million in words, such as `one hundred twenty-three`."""
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = f" {words_of(number % size)}" if number % size else ""
            return f"{words_of(number // size)} {name}{rest}"
    if number < 20:
        return SMALL[number]
    rest = f"-{SMALL[number % 10]}" if number % 10 else ""
    return f"{TENS[number // 10 - 2]}{rest}"


def number_in(text: str) -> int | None:
    """The whole number below a million that English words name; None for other texts."""
    words = re.findall(r"[a-z]+", text.casefold())
    if not words or len(text) > LONGEST or not VALUES.keys() >= {*words} - {"and"}:
        return None
    total = part = 0
    for word in words:
        if word == "thousand":
            total, part = total + part * 1000, 0
        elif word == "hundred":
            part *= 100
        elif word != "and":
            part += VALUES[word]
    number = total + part
    plain = re.sub(r"[\s,-]+|\band\b", " ", text.casefold()).split()
    return number if plain == words_of(number).replace("-", " ").split() else None
