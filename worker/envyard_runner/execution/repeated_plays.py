"""Does a rollout show something else once others were played in its process?

Its replay, which comes first, must have shown the same as the run: what differs by chance or by the
clock differs there too.
"""

from __future__ import annotations

from collections.abc import Iterator

from envyard.contract.findings import Finding, finding
from envyard.contract.mutants import CONTROL
from envyard_runner.execution.uncounted import first_names
from envyard_runner.gateway.replays import Replays

FEWEST = 2  # rollouts


def shared_state_findings(replays: Replays) -> Iterator[Finding]:
    """A warning where paid replies that were repeated among others were shown something else."""
    exact = {
        f"{each.policy}/{each.task}/{each.attempt}"
        for each in replays.results
        if not each.replay.diverged and not each.replay.left_out
    }
    controls = [each for each in replays.mutants.results if each.operator == CONTROL]
    repeated = [each for each in controls if each.rollout in exact and not each.error]
    changed = sorted((each for each in repeated if each.difference), key=lambda each: each.rollout)
    if len(changed) < FEWEST:
        return
    yield finding(
        "run.conversation_changed",
        f"{len(changed)} of {len(repeated)} rollouts were shown something else when the same "
        "replies were given again in a process that had played others; rollouts may share state: "
        f"{first_names([each.rollout for each in changed])}. In {changed[0].rollout} it was "
        f"{changed[0].difference!r}.",
        where=changed[0].rollout,
        n=len(changed),
    )
