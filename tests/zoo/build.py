"""Make entries for both APIs from one text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tests.zoo.entry import APIS, Api, Entry, Level
from tests.zoo.templates import SUMS, module


def both(
    name: str,
    title: str,
    *parts: str,
    expected: Level,
    codes: tuple[str, ...] = (),
    base: str = SUMS,
    apis: tuple[Api, ...] | None = None,
    with_reference: bool = True,
    declarations: str = "",
    rollout_seconds: float = 30.0,
    endings: Mapping[Api, str] = MappingProxyType({}),
    description: str = "Look up an entry by its name.",
    quick: tuple[Api, ...] = (),
) -> list[Entry]:
    """One entry for each API; those of `quick` run with the ordinary tests.

    `endings` replace those of a single turn, and without `apis` their APIs are the entry's.
    `description` is the tool's.
    """
    return [
        Entry(
            name,
            api,
            title,
            module(
                api,
                *parts,
                base=base,
                ending=endings.get(api, "").replace("DESCRIPTION", description),
                with_reference=with_reference,
            ),
            expected,
            codes,
            declarations,
            rollout_seconds,
            api in quick,
        )
        for api in apis or (api for api in APIS if not endings or api in endings)
    ]


def paying(expression: str) -> str:
    """A `score` that returns that expression of `reply` and `row`."""
    return f"def score(reply, row):\n    return float({expression})\n"
