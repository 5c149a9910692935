"""Detect what the machine did to a run, from what was seen outside its sandbox.

An environment that causes one of these faults gains nothing: its run is tried again, and after
three attempts it is held and not listed.
"""

from __future__ import annotations

import re
import signal
from typing import Any

from envyard.contract.values import record, text
from envyard_runner.sandbox import Exit
from envyard_runner.sandbox.exit import PROCESSES

# As a share of a time limit, and in seconds: a run whose runner stalled for longer cannot be
# judged by that limit.
STALL_SHARE, STALL_SECONDS = 0.25, 2.0
KILL_SIGNALS = (signal.SIGKILL, signal.SIGTERM)
BY_SIGNAL = re.compile(r"process was killed by signal (\d+)")  # execution/driver.py


def killed_for_memory(end: Exit, fatal: dict[str, Any] | None) -> bool:
    """Whether processes of the run were ended because the machine was short of memory.

    `fatal` is the last event of the sandbox. The kernel counts what it kills; programs such as
    earlyoom leave no trace but the signal and the low memory.
    """
    if end.reason == "machine_memory":
        return True
    by_memory = end.oom_kills > 0 or (end.low_memory and _killed_by_signal(end, fatal))
    return end.reason == "exited" and by_memory


def hit_outer_process_limit(end: Exit) -> bool:
    """Whether a limit around the runner refused the run processes or threads although the run was
    within its own limit."""
    return end.reason == "exited" and end.refused_processes > 0 and PROCESSES not in end.reached


def runner_stalled(end: Exit, limit_seconds: float) -> str:
    """A sentence if the runner process did not run for too large a part of a time limit, else
    empty."""
    if end.stalled_seconds <= max(STALL_SHARE * limit_seconds, STALL_SECONDS):
        return ""
    return (
        f"the runner itself stood still for {end.stalled_seconds:.0f} s while the time limit of "
        f"{limit_seconds:.0f} s was reached: the machine was suspended, or has too little "
        "processor time to give"
    )


def _killed_by_signal(end: Exit, fatal: dict[str, Any] | None) -> bool:
    message = text(record((fatal or {}).get("error")).get("message"), 500)
    named = BY_SIGNAL.search(message)
    return end.signal in KILL_SIGNALS or (named is not None and int(named[1]) in KILL_SIGNALS)
