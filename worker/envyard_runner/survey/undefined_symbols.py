"""Signs without a value, in prompts that give each sign its value, as `@ = 31, # = 7`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

FEWEST_SIGNS, FEWEST_TASKS = 3, 10  # with a value, in a prompt; prompts with such signs
USED = 4  # signs of a line that uses them
KNOWN = 0.5  # share of the signs of such a line that have a value
COMMON = 0.5  # share of the prompts that use a sign without a value: it is an operator
BRACKETS = "()[]{}"
LONGEST = 20_000  # characters of a prompt
SIGN = r"(?:[^\s\w]|[^\W_]\w{0,2})"
DEFINED = re.compile(
    rf"(?<!\S)({SIGN}) ?(?:=|:|->|\u2192) ?-?\d[\d.,]*(?=[\s,;.)]|$)", re.MULTILINE
)


def undefined_symbols(prompts: Sequence[str]) -> list[int]:
    """The places of the prompts with a line of signs of which one has no value; none where most
    prompts with such lines have one, which ask for it."""
    lacking: dict[int, set[str]] = {}
    operands: set[str] = set()
    for place, prompt in enumerate(prompts):
        if rows := _rows(prompt[:LONGEST]):
            lacking[place] = rows[0]
            operands |= rows[1]
    if len(lacking) < FEWEST_TASKS:
        return []
    uses = Counter(sign for signs in lacking.values() for sign in signs)
    named = {s for s, count in uses.items() if count <= COMMON * len(lacking) and s in operands}
    broken = [place for place, signs in lacking.items() if signs & named]
    return broken if len(broken) <= COMMON * len(lacking) else []


def _rows(prompt: str) -> tuple[set[str], set[str]] | None:
    """The signs without a value, and those at every second place, between which operators stand;
    None where few have a value, or no line is made of them. Where words alone have values, a mark
    is an operator."""
    values = {match[1] for match in DEFINED.finditer(prompt)}
    if len(values) < FEWEST_SIGNS:
        return None
    used: set[str] = set()
    operands: set[str] = set()
    for line in prompt.splitlines():
        signs = line.split()
        known = sum(sign in values for sign in signs)
        short = all(re.fullmatch(SIGN, sign) for sign in signs)
        if (
            short
            and len(signs) >= USED
            and known >= KNOWN * len(signs)
            and not DEFINED.search(line)
        ):
            used.update(signs)
            operands.update([sign for sign in signs if sign not in BRACKETS][::2])
    if not used:
        return None
    words = all(sign[0].isalnum() for sign in values)
    missing = {sign for sign in used - values if sign[0].isalnum() or not words}
    return missing, operands
