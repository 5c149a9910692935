"""Values that texts list for a choice, and values that a text names alone. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

FEWEST, MOST = 3, 60  # values of a list
LONGEST, SEARCHED = 80, 20_000  # characters of a value, and of a text
# What ends a list: the end of a sentence or line, a colon before it, or brackets.
PART = re.compile(r"[.:?!](?=\s|$)|[\n(){}\[\]]")
SEPARATOR = re.compile(r"[,;|]|(?<=\s)(?:or|and)(?=\s)")
BULLETS = re.compile(r"(?:^[ \t]*(?:[-*\u2022]|\d{1,2}[.)])[ \t]+\S.*(?:\n|\Z)){3,}", re.MULTILINE)
BULLET = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,2}[.)])[ \t]+([^\n]+)", re.MULTILINE)
QUOTES = " \t\"'`*_"


def listed_with(value: str, texts: Iterable[str]) -> list[str]:
    """The values of all lists of three or more, in a sentence or by bullets, that have this one."""
    wanted = value.casefold()
    values: dict[str, None] = {}
    for text in texts:
        for items in _lists(text[:SEARCHED], wanted):
            if len(items) >= FEWEST and wanted in (each.casefold() for each in items):
                values |= dict.fromkeys(items)
    return [*values][:MOST]


def singled_out(value: str, text: str, candidates: Sequence[str] = ()) -> bool:
    """Whether a text has this value and none of the other candidates, nor another code of its form:
    a list of what there is names no value."""
    if not _has(text, value):
        return False
    others = (each for each in candidates if each.casefold() != value.casefold())
    if any(_has(text, other) for other in others):
        return False
    codes = set(re.findall(r"(?<![\w.-])\w[\w./-]{0,60}\w", text)) if _is_code(value) else set()
    return not any(_form(each) == _form(value) and each != value for each in codes)


def is_alternative(value: str, text: str) -> bool:
    """Whether a text `without` values offers this one beside one of them, as in `east or west`:
    a refusal that says what can be given names nothing."""
    between, whole = r"[\"'`]?\s{0,3}(?:,\s{0,3})?(?:\bor\b|/|\|)\s{0,3}[\"'`]?", re.escape(value)
    pattern = rf"\.\.\.{between}{whole}(?!\w)|(?<!\w){whole}{between}\.\.\."
    return re.search(pattern, text, re.IGNORECASE) is not None


def without(values: Iterable[str], text: str) -> str:
    """The text with dots in the places of these values."""
    for value in values:
        if value.strip():
            whole = rf"(?<!\w){re.escape(value.strip())}(?!\w)"
            text = re.sub(whole, "...", text, flags=re.IGNORECASE)
    return text


def _lists(text: str, wanted: str) -> Iterator[list[str]]:
    for part in PART.split(text):
        items = [*filter(None, (each.strip(QUOTES) for each in SEPARATOR.split(part)))]
        if len(items) >= FEWEST:
            items = _without_sentence(items, wanted)
        yield [each for each in items if len(each) <= LONGEST]
    for match in BULLETS.finditer(text):
        items = [re.split(r"[:,]\s| - ", each)[0] for each in BULLET.findall(match[0])]
        yield [each.strip(QUOTES) for each in items]


def _without_sentence(items: Sequence[str], wanted: str) -> list[str]:
    """The values of a list in a sentence, without the words before the first and behind the last
    one: of these, as many words are kept as the others have, or those of the wanted value."""
    first, *inner, last = items
    longest = max(len(each.split()) for each in inner)
    if first.casefold().endswith(f" {wanted}"):
        first = wanted
    if last.casefold().startswith(f"{wanted} "):
        last = wanted
    return [" ".join(first.split()[-longest:]), *inner, " ".join(last.split()[:longest])]


def _has(text: str, value: str) -> bool:
    whole = rf"(?<![\w.-]){re.escape(value)}(?![\w-]|\.\w)"
    return re.search(whole, text, re.IGNORECASE) is not None


def _is_code(value: str) -> bool:
    return any(each.isdigit() for each in value) and any(not each.isdigit() for each in value)


def _form(word: str) -> str:
    """Its capitals, small letters and digits by kind."""
    return re.sub(r"[^\W\d_a-z]", "A", re.sub(r"[a-z]", "a", re.sub(r"\d", "0", word)))
