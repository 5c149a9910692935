"""Items in the order of the numbers that a prompt shows beside them."""

from __future__ import annotations

import re

from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern

FEWEST = 3
ITEM = re.compile(
    r"(?:(?<=[\n,;:])|^)[ \t]*(?:[-*\u2022][ \t]+)?"
    r"(?P<name>[^\W\d_][\w'-]{0,30}(?: [\w'-]{1,30}){0,2}?)"
    r"[ \t]*(?:[:=]|\((?=-?\d)|[-\u2013](?= ))[ \t]*(?P<number>-?\d{1,12}(?:\.\d{1,6})?)"
    r"(?![\d.,]*\d|[:/-]\d)[ \t]?(?P<unit>[^\W\d_]{0,8})[.)]{0,2}(?=[ \t]*(?:[\n,;]|$|\.\s))"
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
    r"|time|dates?|shelf|swap\w*|steps?|passes|pancake|weights? per|total|group)\b"
)
SEPARATOR = re.compile(r"\s*(?:->|\u2192|[,;>\n<|])\s*")
RANK = re.compile(r"^(?:\d{1,3}[.)]|[-*\u2022])\s+")
BEHIND = re.compile(r"\s*(?:[:=(]|[-\u2013] )\s*-?\d[\d.]*.{0,10}$")


def order(prompt: str) -> Solved | None:
    """The names of a prompt by the different numbers beside them."""
    items = [
        (match["name"], float(match["number"]), match["unit"]) for match in ITEM.finditer(prompt)
    ]
    names, numbers = [_plain(name) for name, *_ in items], [number for _, number, _ in items]
    upwards = UP(prompt)
    if len(items) < FEWEST or len({*names}) < len(items) or len({*numbers}) < len(items):
        return None
    if upwards == DOWN(prompt) or not ASKS(prompt) or len({unit for *_, unit in items}) > 1:
        return None
    ordered = sorted(items, key=lambda item: item[1], reverse=not upwards)
    shown = [name for name, *_ in ordered]
    return Solved(("\n".join(map(_plain, shown)),), form=", ".join(shown))


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def names_of(answer: str) -> str:
    """The names of a list without numbers, one on a line; empty for fewer than three."""
    parts = [RANK.sub("", part) for part in SEPARATOR.split(answer.strip().strip("[].")) if part]
    names = [_plain(BEHIND.sub("", part.strip("\"'` "))) for part in parts]
    return "\n".join(names) if len(names) >= FEWEST else ""


RULES = (
    KnownRule(
        "its items in the order of their numbers",
        pattern(r"\b(?:sort|order|rank|arrange|list)\b"),
        order,
        names_of,
        OTHERWISE,
    ),
)
