"""Changes whose effect depends on what the prompt says, or does not say: another order of factors,
solutions and words, the decimals or the date that it asks for, and numbers that it allows once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import islice

from envyard_runner.mutation.asked import COUNTS, DECIMALS, asked_layouts, laid_out
from envyard_runner.mutation.expressions import whole_value
from envyard_runner.mutation.hyphens import hyphenated
from envyard_runner.mutation.pairs import are_assigned
from envyard_runner.mutation.records import is_object

FACTOR = r"\d{1,9}(?:(?:\^|\*\*)\d{1,3})?"
PRODUCT = re.compile(rf"{FACTOR}(?:\s*[*x\u00d7\u00b7\u22c5]\s*{FACTOR})+")
OPERATION = re.compile(r"(\s*(?<!\*)[*x\u00d7\u00b7\u22c5](?!\*)\s*)")
SUM = re.compile(r"\d{1,9}(?:\s*\+\s*\d{1,9})+")
BRACKETS = re.compile(r"(?:\([^()]{1,40}\)){2,6}")
NUMBERS = re.compile(r"-?\d{1,9}(?:(?:, ?|,? and | )-?\d{1,9}){1,7}")
NUMBER = re.compile(r"-?\d+")
FACTORS_WANTED = re.compile(r"\bfactor|\bproduct\b|\bprimes?\b|\bmultipl", re.IGNORECASE)
TERMS_WANTED = re.compile(r"\bas (?:the|a) sum\b|\bwhose sum\b|\badd up to\b", re.IGNORECASE)
SOLUTIONS_WANTED = re.compile(
    r"\b(?:factors|divisors|roots|solutions|primes)\b|"
    r"\bnumbers?\b[^.?!\n]{0,40}\bwhose (?:sum|product)\b",
    re.IGNORECASE,
)
# Words by which a prompt may ask for one order, or for another kind of list.
ORDERED = re.compile(
    r"\border(?:ed)?\b|\bsort|\bascending|\bdescending|\bincreasing|\bdecreasing|\bsmall|\blarge"
    r"|\bless(?:er)?\b|\bgreat|\bbig|\blow|\bhigh|\bfirst\b|\bthen\b|\balphabet|\brespectively|"
    r"\bcanonical|\bstandard form|\bsequence|\breverse|\bbackward|\bcopy\b|\brepeat|\bcount|"
    r"\bhow many|\bnumber of|<=?|\u2264",
    re.IGNORECASE,
)
ITEMS = re.compile(r"[^,;\n>{}\[\]]{1,60}(?:(?:,|;|->|\n)[^,;\n>{}\[\]]{1,60}){2,40}")  # 3 or more
TERMS = re.compile(r"\s[+*x\u00d7\u00b7\u22c5&|=]\s")
ORDER_WANTED = re.compile(
    r"\bsort(?:ed)?\b(?! of\b)|\bin (?:\w+ ){0,3}order\b(?! (?:to|that)\b)"
    r"|\border(?:ed|ing)? (?:by|from|of the)\b"
    r"|\bascending|\bdescending|\balphabetical|\bchronological|\breverse|\bsequence of"
    r"|\b(?:smallest|largest|oldest|newest|earliest|latest|lowest|highest|shortest|longest|lightest"
    r"|heaviest|youngest|cheapest) (?:\w+ )?first\b",
    re.IGNORECASE,
)
ANY_ORDER = re.compile(
    r"\b(?:any|no particular|whatever|whichever|arbitrary) order\b"
    r"|\border (?:\w+ ){0,4}(?:does not|doesn't|is not|isn't|is irrelevant|may be|can be)",
    re.IGNORECASE,
)
# Where any reply that meets the conditions is right, another order may meet them too.
ANY_THAT_FITS = re.compile(
    r"\bany\s(?:\w+\s){1,4}(?:that|which)\s(?:meets?|satisf\w+|fulfil\w*|keeps?|fits?|obeys?|works?)\b"
    r"|\bany (?:such|valid|correct|feasible|legal) ",
    re.IGNORECASE,
)
# `colour: red, blue` in a list of such lists.
LABELLED_LIST = re.compile(r"\b[A-Za-z]\w{1,20}: ([\w-]{1,30}(?:(?:, ?| or )[\w-]{1,30}){1,20})")
MOST_LISTS = 20
ONCE = re.compile(r"\b(?:at most|exactly|only|just|no more than) once\b", re.IGNORECASE)
FRACTION = re.compile(r"-?\d{1,12}\.(\d{1,8})")
LONG_FRACTION = re.compile(r"-?\d{1,12}\.\d{8,18}")
SHORTER = 6  # decimals, of a longer fraction
SMALLEST = 0.001  # of which these decimals are three digits
PRECISION = re.compile(
    r"\b(?:decimal|digit|precis|accura|round|significan)|\bexact(?!ly \d)", re.IGNORECASE
)
# What a prompt says of a text of which each word is given.
FIXED_WORDS = re.compile(
    r"\bno (?:other|further|additional) words\b|\bword for word\b|\bverbatim\b"
    r"|\b(?:only|exactly) (?:these|the following|this) (?:words?|form|wording)\b",
    re.IGNORECASE,
)
# Of a text that the policy is to write, the reference is one of many; another order may be one too.
WRITTEN = re.compile(
    r"\b(?:write|compose|invent|make up|form|build)\b[^.?!\n]{0,80}"
    r"\b(?:sentences?|poem|haiku|verse|lines?|paragraph|story|text|headline|words)\b",
    re.IGNORECASE,
)


def commuted(answer: str, prompt: str) -> str | None:
    """A product, a sum or the solutions in reverse order, where the prompt asks for such an answer
    and names no order."""
    text = answer.strip()
    if ORDERED.search(prompt):
        return None
    if FACTORS_WANTED.search(prompt):
        if PRODUCT.fullmatch(text):
            return "".join(reversed(OPERATION.split(text)))
        if BRACKETS.fullmatch(text):
            return "".join(reversed(re.findall(r"\([^()]+\)", text)))
    if TERMS_WANTED.search(prompt) and SUM.fullmatch(text):
        return "".join(reversed(re.split(r"(\s*\+\s*)", text)))
    if SOLUTIONS_WANTED.search(prompt) and NUMBERS.fullmatch(text):
        values = NUMBER.findall(text)[::-1]
        return NUMBER.sub(lambda _: values.pop(0), text)
    return None


def layout(answer: str, prompt: str) -> str | None:
    """The answer with the decimals, or as the ISO date, that the prompt asks for."""
    layouts = (each for each in asked_layouts(prompt, answer) if "case" not in each)
    return next((laid_out(each, answer) for each in layouts), None)


def finer(answer: str, prompt: str) -> str | None:
    """A fraction with one decimal more, within its rounding, where the prompt asks for more.

    A verifier with a tolerance accepts it; one that compares with a reference of too few decimals
    refuses each answer that is as exact as asked for.
    """
    text = answer.strip()
    match = FRACTION.fullmatch(text)
    counts = {COUNTS[each.lower()] for each in DECIMALS.findall(prompt)}
    if match is None or len(counts) != 1 or len(match[1]) >= counts.pop():
        return None
    return f"{text}3"


def shorter(answer: str, prompt: str) -> str | None:
    """A long fraction to six decimals, where the prompt neither shows it nor names a precision."""
    text = answer.strip()
    if not LONG_FRACTION.fullmatch(text) or PRECISION.search(prompt) or text in prompt:
        return None
    rounded = f"{Decimal(text):.{SHORTER}f}".rstrip("0")
    return rounded if abs(Decimal(text)) >= SMALLEST and len(rounded) < len(text) else None


def order(answer: str, prompt: str) -> str | None:
    """The words of a sentence in reverse order, or the items of a list where the prompt asks for an
    order. A list that commas part may else have any, and so may terms and factors, and the text
    that the prompt asks to write."""
    text = answer.strip()
    if are_assigned(text) or ANY_ORDER.search(prompt):
        return None
    if ITEMS.fullmatch(text):
        ordered = ORDER_WANTED.search(prompt) and not ANY_THAT_FITS.search(prompt)
        return reversed_list(text) if ordered else None
    if sequence := hyphenated(text, prompt):
        after = "-".join(reversed(sequence))
        return after if after != text and ORDER_WANTED.search(prompt) else None
    words = answer.split()
    if len(words) < 3 or "," in answer or "\n" in text or words == words[::-1]:
        return None
    free = WRITTEN.search(prompt) or is_object(answer) or TERMS.search(answer)
    return None if free or of_different_lists(words, prompt) else " ".join(reversed(words))


def of_different_lists(words: Sequence[str], prompt: str) -> bool:
    """Whether each word is one of another labelled list of the prompt, as in `size: small, large;
    colour: red, blue`: then its place says nothing."""
    if len(words) > MOST_LISTS:
        return False
    lists = [match[1].casefold() for match in islice(LABELLED_LIST.finditer(prompt), MOST_LISTS)]
    places = [
        [place for place, listed in enumerate(lists) if _has_word(listed, word.casefold())]
        for word in words
    ]
    single = [each[0] for each in places if len(each) == 1]
    return len(single) == len(words) == len(set(single))


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def reversed_list(text: str) -> str | None:
    """The items that commas, semicolons, arrows or lines part, in reverse order; None where that is
    the same."""
    parts = re.split(r"(\s*(?:,|;|->|\n)\s*)", text)
    items, reversed_items = parts[::2], parts[::2][::-1]
    parts[::2] = reversed_items
    return "".join(parts) if items != reversed_items else None


def reused(answer: str, prompt: str) -> str | None:
    """A calculation of the same value that uses its first number three times, where the prompt
    allows each number once."""
    first = NUMBER.search(answer)
    if first is None or not ONCE.search(prompt) or whole_value(answer.strip()) is None:
        return None
    number = first[0].lstrip("-")
    return f"{answer.rstrip()} + {number} - {number}"


BY_PROMPT: dict[str, Callable[[str, str], str | None]] = {
    "commuted": commuted,
    "layout": layout,
    "finer": finer,
    "shorter": shorter,
    "order": order,
    "reused": reused,
}
