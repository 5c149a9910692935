"""What the check of left processes sees."""

from __future__ import annotations

import os
import subprocess

import pytest

from envyard_runner.sandbox import uids
from tests.worker.left_over import processes_of

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to change the uid")


def test_a_process_that_runs_on_is_seen_until_its_uid_is_leased() -> None:
    lease = uids.lease()
    command = ["sleep", "60"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, user=lease.uid) as process:
        assert processes_of([lease.uid]) == []
        lease.release()
        try:
            assert len(processes_of([lease.uid])) == 1
        finally:
            process.kill()
