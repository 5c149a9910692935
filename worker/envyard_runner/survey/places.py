"""Is the answer at the same place of every prompt? Then copying that place earns the reward."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

KINDS = {"number": re.compile(r"-?\d[\d,]*(?:\.\d+)?"), "word": re.compile(r"[^\W\d_]+")}
PLACES = 10  # from the beginning, and from the end
ENOUGH, VARIED = 10, 5  # tasks with an answer, and different answers among them
NEARLY_ALL = 0.9
MAX_TASKS = 2_000


def answer_place(tasks: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """How many tasks, of pairs of prompt and answer, have the answer at the most common place, and
    that place ("number 1"); (0, "") where nine of ten do not. The first MAX_TASKS count."""
    known = [(prompt.casefold(), answer.strip().casefold()) for prompt, answer in tasks[:MAX_TASKS]]
    if len(known) < ENOUGH or len({answer for _, answer in known}) < VARIED:
        return 0, ""
    places = Counter(place for each in known for place in dict.fromkeys(_places(*each)))
    place, count = next(iter(places.most_common(1)), ("", 0))
    return (count, place) if count >= NEARLY_ALL * len(known) else (0, "")


def _places(prompt: str, answer: str) -> Iterator[str]:
    for kind, pattern in KINDS.items():
        if pattern.fullmatch(answer):
            value = _value(kind, answer)
            pieces = pattern.findall(prompt)
            for at, piece in enumerate(pieces[:PLACES], 1):
                if _value(kind, piece) == value:
                    yield f"{kind} {at}"
            for at, piece in enumerate(pieces[: -PLACES - 1 : -1], 1):
                if _value(kind, piece) == value:
                    yield f"{kind} {at} from the end"


def _value(kind: str, piece: str) -> str | Decimal:
    """What is compared: numbers by their value, as 0341 is 341."""
    return Decimal(piece.replace(",", "")) if kind == "number" else piece
