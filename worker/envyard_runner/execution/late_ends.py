"""The finding about games that go on after the reply that should end them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envyard.contract.findings import Finding, finding
from envyard_runner.execution.first_names import first_names

FEWEST = 2  # tasks with different replies


def late_end_findings(replies: Mapping[str, str]) -> Iterator[Finding]:
    """A warning where references of FEWEST tasks repeated one reply to the last turn; `replies` has
    that reply for each rollout by `policy/task/attempt`."""
    if len({reply.casefold() for reply in replies.values()}) < FEWEST:
        return
    rollouts = sorted(replies)
    first = rollouts[0]
    yield finding(
        "card.goes_on",
        f"The reference gave one reply in each turn of {len(rollouts)} rollouts, although the "
        f"prompt names an end: {first_names(rollouts)}. In {first} it was {replies[first][:80]!r}.",
        where=first,
        n=len(rollouts),
    )
