"""How a sandbox ended, or why it could not be made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

Reason = Literal[
    "exited", "wall_clock", "memory", "cpu", "files", "descriptors", "events_flood",
    "killed", "lingered", "machine_memory",
]  # fmt: skip
PROCESSES = "its processes"  # in `Exit.reached`
LimitMechanism = Literal["cgroup2", "rlimit+watchdog"]


class SandboxError(RuntimeError):
    """The sandbox could not be made; the message states why and what to install or change."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a sandbox ended, as seen from outside.

    `code` and `signal` are what bubblewrap reports of the first process; a program can fake a
    signal by exiting with 128 + n, so blame rests on `reason`, which only the runner sets;
    "killed" means by the runner or by somebody else on the machine, never from inside,
    "lingered" that it stayed after its work was done, and
    "machine_memory" by a kernel that was short of memory although the run was within its limit.
    `oom_kills` counts what the kernel killed for memory anywhere on the machine meanwhile.
    `peak_memory_bytes` is the most seen at once (without cgroup2: polled, so spikes below 50 ms
    may be missed). `network_attempts` counts connections and datagrams sent to
    an address outside the sandbox and refused (None: the machine does not count); `targets` are
    some of those addresses, `refused_calls` how often each refused call was made (None: this
    kernel refuses without telling). `reached` names the limits it ran into and lived.
    `stalled_seconds` is how long the runner's own process was kept from running: meanwhile it
    answered no call. `low_memory`: the machine once had so little memory left that programs such as
    earlyoom end processes. `lacking`: the reason why the runner could enforce the limits no longer
    and killed the run. `refused_processes` counts processes and threads that a limit around the
    runner refused, to any program, in the meantime.
    """

    code: int | None
    signal: int | None
    reason: Reason
    seconds: float
    peak_memory_bytes: int
    limited_by: LimitMechanism
    network_attempts: int | None = None
    targets: tuple[str, ...] = ()
    refused_calls: Mapping[str, int] | None = None
    reached: tuple[str, ...] = ()
    oom_kills: int = 0
    stalled_seconds: float = 0.0
    low_memory: bool = False
    lacking: str = ""
    refused_processes: int = 0

    def beside(self, other: Exit) -> Exit:
        """The same end, with what another sandbox of the run tried and took too."""
        counts = (self.network_attempts, other.network_attempts)
        refused = (self.refused_calls, other.refused_calls)
        return replace(
            self,
            peak_memory_bytes=max(self.peak_memory_bytes, other.peak_memory_bytes),
            network_attempts=None if None in counts else sum(count or 0 for count in counts),
            targets=tuple(dict.fromkeys((*self.targets, *other.targets))),
            refused_calls=None if None in refused else _sum(*(calls or {} for calls in refused)),
            reached=tuple(dict.fromkeys((*self.reached, *other.reached))),
        )


def _sum(*counts: Mapping[str, int]) -> dict[str, int]:
    return {
        name: sum(mapping.get(name, 0) for mapping in counts)
        for mapping in counts
        for name in mapping
    }
