"""Compare texts in a separate process with limits: pairs of texts in, unified diffs out.

The texts are strangers', and difflib takes minutes for two that were made for that.

python -m registry.sources.diffing <pairs.json
"""

from __future__ import annotations

import difflib
import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Sequence

PROCESSES = threading.BoundedSemaphore(2)  # per web process, each of which may use MEMORY
WAIT_SECONDS = 20  # of wall time, on a busy machine
CPU_SECONDS = 2
MEMORY = 2**29
CONTEXT = 3  # unchanged lines around a change
MAX_LINES = 400  # of the diff of one pair


def diffs_in_process(pairs: Sequence[tuple[str, str]]) -> list[list[str] | None]:
    """The lines of each pair's unified diff, the last an ellipsis where there are more; None for
    those that were not compared within CPU_SECONDS of all."""
    if not pairs:
        return []
    command = [sys.executable, "-m", "registry.sources.diffing"]
    environ = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    try:
        with PROCESSES:
            output = subprocess.run(
                command,
                input=json.dumps(pairs).encode(),
                capture_output=True,
                timeout=WAIT_SECONDS,
                env=environ,
                check=False,
            ).stdout
    except subprocess.TimeoutExpired as stopped:
        output = stopped.stdout or b""
    done: list[list[str] | None] = [json.loads(line) for line in output.split(b"\n")[:-1]]
    return done + [None] * (len(pairs) - len(done))


def diff(before: str, after: str) -> list[str]:
    """The lines of a unified diff without its two lines of file names."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=CONTEXT, lineterm="")
    shown: list[str] = []
    for number, line in enumerate(lines):
        if number > MAX_LINES + 1:
            return [*shown, "…"]
        if number > 1:
            shown.append(line)
    return shown


def main() -> None:
    """Print a JSON list a pair, each as soon as it is compared."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for before, after in json.load(sys.stdin):
        sys.stdout.write(json.dumps(diff(before, after)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
