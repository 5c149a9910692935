"""Machines that break while an environment plays: it is not blamed. An environment that imitates
the fault is."""

from __future__ import annotations

import ctypes.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.worker.attacks.conftest import Runner, import_time_files

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(120)]
# A run of a wheel that needs SQLite, on a machine whose library is an empty file.
BROKEN = """
import json, sys
from pathlib import Path
from tests.worker.attacks.conftest import Runner, import_time_files
done = Runner(Path(sys.argv[1])).perform("sqlite", import_time_files("sqlite", "import sqlite3"))
print(json.dumps(done.outcome.hub.endings[0]))
"""
IMITATION = "raise ImportError('libsqlite3.so.0: file too short', name='sqlite3')"


def _library() -> Path:
    """The file that the interpreter of runs loads SQLite from."""
    maps = "import _sqlite3; print(open('/proc/self/maps').read())"
    done = subprocess.run(
        ["/usr/bin/python3", "-I", "-S", "-c", maps], capture_output=True, text=True, check=True
    )
    return Path(next(line.split()[-1] for line in done.stdout.splitlines() if "libsqlite3" in line))


@pytest.mark.skipif(
    os.geteuid() != 0 or not ctypes.util.find_library("sqlite3"),
    reason="only root may mount over a library of the system",
)
def test_a_damaged_library_of_the_system_is_the_machines_fault(runner: Runner) -> None:
    empty = runner.home / "empty"
    empty.touch(mode=0o644)
    script = f'mount --bind {empty} {_library()} && exec {sys.executable} -c "$0" {runner.home}'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, BROKEN],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    ending: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert (ending["outcome"], ending["findings"][0]["code"]) == ("errored", "run.runner_error")
    assert "_sqlite3" in ending["findings"][0]["message"]


def test_an_environment_that_imitates_a_damaged_library_is_blamed(runner: Runner) -> None:
    done = runner.perform("sqlite", import_time_files("sqlite", IMITATION))
    assert done.outcome.result == ("failed", ["run.import_failed"])
