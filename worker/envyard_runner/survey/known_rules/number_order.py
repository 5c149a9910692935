"""Items in the order of the numbers that a prompt shows beside them.

Only the order of these numbers as text contradicts it: any other may follow a rule of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern

FEWEST = 3
ITEM = re.compile(
    r"(?:(?<=[\n,;:|])|^)[ \t]*(?:[-*\u2022][ \t]+)?"
    r"(?P<name>[^\W\d_][\w'-]{0,30}(?: [\w'-]{1,30}){0,2}?)"
    r"[ \t]*(?:[:=|]|\((?=-?\d)|[-\u2013](?= ))[ \t]*(?P<number>-?\d{1,12}(?:\.\d{1,6})?)"
    r"(?![\d.,]*\d|[:/-]\d)[ \t]?(?P<unit>[^\W\d_]{0,8})[.)]{0,2}(?=[ \t]*(?:[\n,;|]|$|\.\s))"
)
UP = has(
    r"\b(?:ascending|increasing|(?:smallest|lowest|lightest|shortest|least|cheapest|slowest|youngest"
    r"|nearest|low|small)(?: (?:number|value|price|score)s?)? (?:first|to (?:the )?(?:high|large|"
    r"heav|long|great|big|expens|fast|old|far|most)\w*))\b"
)
DOWN = has(
    r"\b(?:descending|decreasing|(?:largest|highest|heaviest|longest|greatest|biggest|fastest|oldest"
    r"|most expensive|farthest|high|large)(?: (?:number|value|price|score)s?)? (?:first"
    r"|to (?:the )?(?:low|small|light|short|least|cheap|slow|young|near)\w*))\b"
)
ASKS = has(r"\b(?:sort|order|rank|arrange|list)\b")
OTHERWISE = has(
    r"\b(?:alphabet\w*|lexicograph\w*|by name|as text|as strings?|string order|absolute|magnitude"
    r"|decimals? (?:are|as)|then by|ties?|only|top|except|excluding|reverse|versions?|dewey|hour"
    r"|time|dates?|shelf|swap\w*|if|unless|otherwise|bonus|penalt\w*|adjust\w*|disqualif\w*"
    r"|weighted|steps?|passes|pancake|weights? per|total|group)\b"
)
SEPARATOR = re.compile(r"->|[\u2192,;>\n<|]")
RANK = re.compile(r"^(?:\d{1,3}[.)]|[-*\u2022])\s+")
BEHIND = re.compile(r" ?(?:[:=(]|[-\u2013] )\s*-?\d[\d.]*.{0,10}$")


def order(prompt: str) -> Solved | None:
    """The names of a prompt by the different numbers beside them."""
    matches = [*ITEM.finditer(prompt)]
    names = [match["name"] for match in matches]
    texts, units = [match["number"] for match in matches], {match["unit"] for match in matches}
    upwards, count = UP(prompt), len(matches)
    if count < FEWEST or len({*map(_plain, names)}) < count or len({*map(float, texts)}) < count:
        return None
    if upwards == DOWN(prompt) or not ASKS(prompt) or len(units) > 1:
        return None
    pairs = [*zip(texts, names, strict=True)]
    by_number = sorted(pairs, key=lambda pair: float(pair[0]), reverse=not upwards)
    right = [name for _, name in by_number]
    as_text = [name for _, name in sorted(pairs, reverse=not upwards)]
    return Solved((_listed(right),), (_listed(as_text),), ", ".join(right))


def _listed(names: Sequence[str]) -> str:
    return "\n".join(map(_plain, names))


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def names_of(answer: str) -> str:
    """The names of a list without numbers, one on a line; empty for fewer than three."""
    parts = [" ".join(part.split()) for part in SEPARATOR.split(answer.strip().strip("[]."))]
    names = [BEHIND.sub("", RANK.sub("", part).strip("\"'` ")) for part in parts if part]
    return _listed(names) if len(names) >= FEWEST else ""


RULES = (
    KnownRule(
        "its items in the order of their numbers",
        pattern(r"\b(?:sort|order|rank|arrange|list)\b"),
        order,
        names_of,
        OTHERWISE,
    ),
)
