"""Runs repositories in limited child processes and compares what they compute."""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bug_fix.blueprint import Call

CHILD = Path(__file__).with_name("child.py")
SECONDS = 10.0
MOST_BYTES = 256 << 10


@dataclass(frozen=True, slots=True)
class Ran:
    """What a child left: its outcomes (None if it ended early), its prints, and if time ran out."""

    outcomes: list[Any] | None
    printed: str
    timed_out: bool


def run(files: dict[str, str], request: dict[str, Any], *, seconds: float = SECONDS) -> Ran:
    """Write the files into a fresh folder and run one request on them in a child process.

    The child gets no environment variables, no site-packages, limits, and `seconds` of wall time.
    """
    with tempfile.TemporaryDirectory(prefix="bug-fix-") as place:
        root = Path(place) / "repository"
        for path, source in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(source)
        result, log = Path(place) / "result", Path(place) / "log"
        with result.open("w+b") as results, log.open("w+b") as prints:
            out = results.fileno()
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", str(CHILD), str(out)],
                cwd=root, env={}, stdin=subprocess.PIPE, stdout=prints, stderr=prints,
                pass_fds=(out,), start_new_session=True,
            )  # fmt: skip
            timed_out = False
            try:
                process.communicate(json.dumps(request).encode(), timeout=seconds)
            except subprocess.TimeoutExpired:
                timed_out = True
            finally:
                _end(process)
        written = result.read_bytes()[:MOST_BYTES]
        printed = log.read_bytes()[:MOST_BYTES].decode(errors="replace")
    try:
        outcomes = json.loads(written)
    except ValueError:
        outcomes = None
    return Ran(outcomes if isinstance(outcomes, list) else None, printed, timed_out)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the child's whole session, so that nothing it started stays."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def same(first: Any, second: Any) -> bool:
    """Equal JSON values: types count (true is not 1), floats may differ in the last digits."""
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12) or first == second
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same, first, second))
    return bool(first == second)


def passed(files: dict[str, str], *, right: dict[str, str], hidden: list[Call]) -> float:
    """Share of hidden calls that the files answer as the right code does, in [0, 1].

    The child gets the arguments only. The right values are computed in another process and
    compared in this one, so printing, exiting early or patching the tests cannot fake a pass.
    """
    request = {"mode": "calls", "calls": hidden}
    expected, returned = run(right, request).outcomes, run(files, request).outcomes
    if expected is None or len(expected) != len(hidden):
        raise RuntimeError("the reference repository did not answer its own hidden calls")
    if returned is None or len(returned) != len(hidden):
        return 0.0
    return sum(map(same, returned, expected)) / len(hidden)


def report(files: dict[str, str]) -> str:
    """The output of `run_tests` about the visible tests, at most 4000 characters."""
    tests = sorted(path for path in files if path.startswith("tests/"))
    ran = run(files, {"mode": "tests", "files": tests})
    if ran.timed_out:
        return f"error: the tests ran longer than {SECONDS:.0f} seconds"
    if ran.outcomes is None:
        return f"error: the test process ended early\n{ran.printed[-2000:]}"
    lines = []
    for test, failure in ran.outcomes:
        lines.append(f"{'FAILED' if failure else 'passed'} {test}")
        if failure:
            lines.append(str(failure).rstrip())
    failed = sum(failure is not None for _, failure in ran.outcomes)
    lines.append(f"{len(ran.outcomes) - failed} passed, {failed} failed")
    return "\n".join(lines)[-4000:]
