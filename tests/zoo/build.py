"""Make entries for both APIs from one text."""

from __future__ import annotations

from tests.zoo.entry import APIS, Api, Entry, Level
from tests.zoo.templates import SUMS, module


def both(
    name: str,
    title: str,
    *parts: str,
    expected: Level,
    codes: tuple[str, ...] = (),
    base: str = SUMS,
    apis: tuple[Api, ...] = APIS,
    with_reference: bool = True,
    declarations: str = "",
    rollout_seconds: float = 30.0,
    quick: tuple[Api, ...] = (),
) -> list[Entry]:
    """One entry for each API; those of `quick` run with the ordinary tests."""
    return [
        Entry(
            name,
            api,
            title,
            module(api, *parts, base=base, with_reference=with_reference),
            expected,
            codes,
            declarations,
            rollout_seconds,
            api in quick,
        )
        for api in apis
    ]


def paying(expression: str) -> str:
    """A `score` that returns that expression of `reply` and `row`."""
    return f"def score(reply, row):\n    return float({expression})\n"
