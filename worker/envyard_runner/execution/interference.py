"""The finding about rollouts that change what later rollouts of the same process are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envyard.contract.findings import Finding, finding
from envyard_runner.execution.first_names import first_names

FEWEST_TASKS, SHARE = 2, 0.5  # that are shown something else, and their share


def interference_findings(shown: Mapping[str, str]) -> Iterator[Finding]:
    """A warning where rollouts were shown something else when they were played after others.

    `shown` is that for each rollout by `policy/task/attempt`, empty for the same.
    """
    changed = {name: what for name, what in sorted(shown.items()) if what}
    tasks = {name.split("/")[1] for name in changed}
    if len(tasks) < FEWEST_TASKS or len(changed) < SHARE * len(shown):
        return
    first, what = next(iter(changed.items()))
    yield finding(
        "env.rollouts_interfere",
        f"{len(changed)} of {len(shown)} rollouts were shown something else when they were played "
        f"once more, with the same replies, after others in one process: "
        f"{first_names([*changed])}. In {first} {what}.",
        where=first,
        n=len(changed),
    )
