"""Mohs hardness of the ten reference minerals: values, orders, and which one scratches which.

Of an order that has other minerals too, only the reference minerals are compared.
"""

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

SCALE = ("talc", "gypsum", "calcite", "fluorite", "apatite", "orthoclase", "quartz", "topaz",
         "corundum", "diamond")  # fmt: skip
HARDNESS = {mineral: value for value, mineral in enumerate(SCALE, 1)}
MINERAL = re.compile(rf"\b(?:{'|'.join(SCALE)}|feldspar)\b", re.IGNORECASE)
SOFT_FIRST = has(
    r"\bsoft(?:est)?(?: ones?| minerals?)?(?: first\b| to (?:the )?hard)"
    r"|\b(?:ascending|increasing)\b|\bfrom (?:the )?softest\b"
)
HARD_FIRST = has(
    r"\bhard(?:est)?(?: ones?| minerals?)?(?: first\b| to (?:the )?soft)"
    r"|\b(?:descending|decreasing)\b|\bfrom (?:the )?hardest\b"
)
ASKS_ORDER = has(r"\b(?:order|sort|rank|arrange|list)\b")
ASKS_VALUE = has(r"\bhardness (?:of|has|does|value)\b|\bhow hard is\b")
SCRATCHES = re.compile(
    r"\b(?:can|does|will|would) (?:an? (?:piece of )?|the )?(?P<one>[a-z]+) scratch "
    r"(?:an? (?:piece of )?|the )?(?P<other>[a-z]+)\b",
    re.IGNORECASE,
)
HARDER = pattern(r"\bwhich (?:one |mineral |of (?:the two|these|them) )?(?:is|has) (?:the )?"
                 r"(?P<way>harder|softer)\b")  # fmt: skip
OTHERWISE = has(
    r"\b(?:vickers|knoop|brinell|rockwell|absolute|density|densities|alphabetical\w*|price|lustre"
    r"|coated|powder\w*|not scratch)\b"
)


def minerals_in(text: str) -> list[str]:
    """The reference minerals of a text in their order, each once."""
    names = [match[0].casefold() for match in MINERAL.finditer(text)]
    return [*dict.fromkeys("orthoclase" if name == "feldspar" else name for name in names)]


def order(prompt: str) -> Solved | None:
    """The reference minerals of a prompt by their hardness, in the direction that it names."""
    minerals, upwards = minerals_in(prompt), SOFT_FIRST(prompt)
    if len(minerals) < 2 or upwards == HARD_FIRST(prompt) or not ASKS_ORDER(prompt):
        return None
    ordered = sorted(minerals, key=SCALE.index, reverse=not upwards)
    return Solved((" ".join(ordered),), form=", ".join(ordered))


def reference_order(answer: str) -> str:
    """The reference minerals of an answer that lists several; empty for other answers."""
    minerals = minerals_in(answer)
    return " ".join(minerals) if len(minerals) > 1 else ""


def hardness(prompt: str) -> Solved | None:
    """The hardness of the only mineral of a prompt."""
    minerals = minerals_in(prompt)
    if len(minerals) != 1 or not ASKS_VALUE(prompt):
        return None
    return Solved((str(HARDNESS[minerals[0]]),))


def value(answer: str) -> str:
    """A number from 1 to 10; empty for other answers."""
    match = re.fullmatch(r"(?:mohs )?(\d\d?)(?:\.0)?", answer.strip().rstrip(".").casefold())
    return str(int(match[1])) if match and 1 <= int(match[1]) <= len(SCALE) else ""


def scratches(prompt: str) -> Solved | None:
    """Whether the first of two reference minerals scratches the second."""
    matches, minerals = [*SCRATCHES.finditer(prompt)], minerals_in(prompt)
    if len(matches) != 1 or len(minerals) != 2:
        return None
    one, other = matches[0]["one"].casefold(), matches[0]["other"].casefold()
    if {one, other} != {*minerals}:
        return None
    return yes_or_no(HARDNESS[one] > HARDNESS[other])


def harder(prompt: str) -> Solved | None:
    """The harder or softer one of two reference minerals."""
    match, minerals = HARDER.search(prompt), minerals_in(prompt)
    if match is None or len(minerals) != 2:
        return None
    one, other = sorted(minerals, key=SCALE.index, reverse=match["way"].casefold() == "harder")
    return Solved((one,), (other,))


def mineral(answer: str) -> str:
    """The only reference mineral of an answer without other words; empty otherwise."""
    minerals = minerals_in(answer)
    return minerals[0] if len(minerals) == 1 and len(words_of(answer).split()) == 1 else ""


CLUE = pattern(r"\b(?:hardness|hard(?:er|est)?|soft(?:er|est)?|scratch\w*|mohs)\b")
RULES = (
    KnownRule(
        "its reference minerals in the order of Mohs hardness",
        CLUE,
        order,
        reference_order,
        OTHERWISE,
    ),
    KnownRule("the Mohs hardness of its mineral", CLUE, hardness, value, OTHERWISE),
    KnownRule("what Mohs hardness gives for a scratch", CLUE, scratches, verdict, OTHERWISE),
    KnownRule("the harder or softer mineral", CLUE, harder, mineral, OTHERWISE),
)
