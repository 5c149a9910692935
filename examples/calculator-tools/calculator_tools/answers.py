"""How the final answer of a reply is read."""

import re

LINE = re.compile(
    r"^[ \t*_`]*answer[ \t*_`]*:[ \t*_`]*(-?\d[\d,]*)[ \t*_`.]*$", re.IGNORECASE | re.MULTILINE
)


def read_answer(reply: str) -> int | None:
    """The number on the reply's `Answer:` line; None without one or with two that differ."""
    values = {int(text.replace(",", "")) for text in LINE.findall(reply)}
    return values.pop() if len(values) == 1 else None
