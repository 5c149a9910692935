"""The world behind the tools. No verifiers in here, so tests stay fast and plain."""

import random
import re
from collections.abc import Iterator

PRICES = {
    "lamp": 1799,
    "chair": 4350,
    "desk": 12990,
    "mug": 685,
    "rug": 7425,
    "clock": 2260,
    "shelf": 5115,
    "plant": 940,
    "frame": 1375,
    "basket": 1120,
    "mirror": 6830,
    "stool": 3305,
}
"""Cents. The policy never sees this table; it has to ask."""

ANSWER = re.compile(r"^\W*answer\W*:\W*(\d+)\W*$", re.IGNORECASE | re.MULTILINE)


def price(item: str) -> str:
    """The output of the price tool for an item."""
    cents = PRICES.get(item.strip().lower())
    if cents is None:
        return f"error: no {item[:50]!r} in the shop; there are: {', '.join(sorted(PRICES))}"
    return f"{cents} cents"


def score(reply: str, total: int) -> float:
    """1.0 if the reply's answer line holds the total, else 0.0; two that differ count as none."""
    return float({int(text) for text in ANSWER.findall(reply)} == {total})


def orders(*, seed: int, count: int) -> Iterator[dict[str, int]]:
    """`count` different orders: how many of which items."""
    rng = random.Random(f"{{ name }}/{seed}")
    seen: set[tuple[tuple[str, int], ...]] = set()
    while len(seen) < count:
        order = {item: rng.randint(2, 30) for item in rng.sample(sorted(PRICES), 2)}
        key = tuple(sorted(order.items()))
        if key not in seen:
            seen.add(key)
            yield order
