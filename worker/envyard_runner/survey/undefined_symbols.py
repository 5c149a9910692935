"""Signs without a value, in prompts that give each sign its value, as `@ = 31, # = 7`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

FEWEST_SIGNS, FEWEST_TASKS = 3, 10  # with a value, in a prompt; prompts with such signs
USED = 4  # signs of a line that uses them
KNOWN = 0.5  # share of the signs of such a line that have a value
COMMON = 0.5  # share of the prompts that use a sign without a value: it is an operator
LONGEST = 20_000  # characters of a prompt
SIGN = r"(?:[^\s\w]|[^\W_]\w{0,2})"
DEFINED = re.compile(
    rf"(?<!\S)({SIGN}) ?(?:=|:|->|\u2192) ?-?\d[\d.,]*(?=[\s,;.)]|$)", re.MULTILINE
)


def undefined_symbols(prompts: Sequence[str]) -> list[int]:
    """The places of the prompts with a line of signs of which one has no value."""
    lacking = {
        place: signs
        for place, prompt in enumerate(prompts)
        if (signs := _undefined(prompt[:LONGEST])) is not None
    }
    if len(lacking) < FEWEST_TASKS:
        return []
    uses = Counter(sign for signs in lacking.values() for sign in signs)
    operators = {sign for sign, count in uses.items() if count > COMMON * len(lacking)}
    return [place for place, signs in lacking.items() if signs - operators]


def _undefined(prompt: str) -> set[str] | None:
    """The signs without a value; None where few have one, or no line is made of them."""
    values = {match[1] for match in DEFINED.finditer(prompt)}
    if len(values) < FEWEST_SIGNS:
        return None
    used: set[str] = set()
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
    return used - values if used else None
