"""The runner raises its own limit of open files, and no other program's."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from envyard_runner.open_files import NEEDED

# The limits of this process, those after `raise_limit`, and the soft one of uv's processes.
PROGRAM = """
import json, resource, subprocess
from envyard_runner import open_files
from envyard_runner.venvs import uv
open_files.raise_limit()
shell = subprocess.run(
    ["sh", "-c", "ulimit -n"], capture_output=True, text=True, preexec_fn=uv._limit_process
)
print(json.dumps([resource.getrlimit(resource.RLIMIT_NOFILE), int(shell.stdout)]))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "raised"),
    [
        (300, NEEDED + 1, NEEDED),
        (300, 700, 700),
        (NEEDED + 1, NEEDED + 2, NEEDED + 1),
    ],
)
def test_the_runner_raises_its_own_soft_limit_and_not_that_of_uv(
    soft: int, hard: int, raised: int
) -> None:
    done = subprocess.run(
        ["prlimit", f"--nofile={soft}:{hard}", sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout) == [[raised, hard], soft]
