"""Programs in the place of the real worker in a sandbox: they speak to the driver themselves."""

from __future__ import annotations

from collections.abc import Mapping

# `job` is the guest job, `emit` sends an event, `begin` reports that the environment is imported,
# and `requests` yields the groups of rollouts that the driver wants to be played.
PRELUDE = """
import json, os, sys, threading
job = json.load(open(sys.argv[1]))
_lines, _lock = os.fdopen(int(sys.argv[2]), "rb"), threading.Lock()
def emit(event, **fields):
    with _lock: os.write(int(sys.argv[2]), json.dumps({"event": event, **fields}).encode() + b"\\n")
def begin():
    emit("environment_began")
    _lines.readline()
def requests():
    for line in _lines: yield json.loads(line)
"""


def with_program(files: Mapping[str, bytes], program: str) -> dict[str, bytes]:
    """The files of a worker's package with this program in its place; others as they are."""
    own = {"env_worker.py": f"{PRELUDE}{program}".encode()} if "env_worker.py" in files else {}
    return {**files, **own}
