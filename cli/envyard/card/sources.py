"""Whose word a number of the card is: one registry entry for each source.

A measure has the weakest source that it rests on, in the order of SOURCES. May import nothing of
the card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SourceCode = Literal["observed", "claimed", "declared"]


@dataclass(frozen=True, slots=True)
class Source:
    """One source: its mark in tables, and what stands behind the number, in a few words and in a
    sentence."""

    code: SourceCode
    mark: str
    words: str
    meaning: str


# From the strongest to the weakest.
SOURCES: dict[SourceCode, Source] = {
    source.code: source
    for source in (
        Source(
            "observed",
            "observed",
            "by the hub",
            "The hub observed it itself: calls recorded at the gateway, separate loads of the "
            "tasks, replays in another process, or the runner's clock. No size of a reward is in "
            "it.",
        ),
        Source(
            "claimed",
            "claimed",
            "computed from what the environment claims",
            "The hub computed it from what the environment claims: rewards, metrics, and how its "
            "rollouts ended.",
        ),
        Source(
            "declared",
            "declared",
            "by the author",
            "The author declared a part of it in the wheel, such as the range of rewards.",
        ),
    )
}
