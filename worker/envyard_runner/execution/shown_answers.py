"""The finding about answers that the environment shows to policies that do no work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envyard.contract.findings import Finding, finding
from envyard_runner.execution.uncounted import first_names

FEWEST_TASKS = 2


def leak_findings(shown: Mapping[str, str]) -> Iterator[Finding]:
    """A warning where two tasks or more showed their answers: `shown` has an excerpt for each
    rollout by `policy/task/attempt`."""
    if len({rollout.split("/")[1] for rollout in shown}) < FEWEST_TASKS:
        return
    rollouts = sorted(shown)
    yield finding(
        "card.leaks",
        f"The environment shows the answer to replies that earn nothing, in {len(rollouts)} "
        f"rollouts: {first_names(rollouts)}. In {rollouts[0]} it sent: {shown[rollouts[0]]!r}.",
        where=rollouts[0],
        n=len(rollouts),
    )
