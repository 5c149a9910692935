"""Messages: sent after commit, and a broker that is down undoes nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction

from registry import dispatch
from tests.registry.conftest import Queues

SEND = """
import django; django.setup()
from registry import dispatch
print(dispatch.enqueue("envyard.run", queue="runs"))
"""


def test_a_message_waits_for_the_commit(queues: Queues) -> None:
    with queues.committed(), transaction.atomic():
        dispatch.enqueue_after_commit("registry.judge", run_id="x")
        assert queues.read("hub") == []
    assert queues.read("hub") == [("registry.judge", {"run_id": "x"})]


def test_a_broker_that_is_down_is_logged_and_raises_nothing(tmp_path: Path) -> None:
    log = _log_of_refused([sys.executable, "-c", SEND], tmp_path, "amqp://127.0.0.1:18379//")
    assert "envyard.run not sent" in log


def _log_of_refused(command: list[str], home: Path, broker: str) -> str:
    """What a process logs that sends one message to that broker, which takes none."""
    environ = {
        "DJANGO_SETTINGS_MODULE": "hub.settings",
        "HUB_HOME": str(home),
        "HUB_BROKER_URL": broker,
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run(
        command,
        env=environ,
        cwd=settings.BASE_DIR,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "False\n"
    return done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_costs_one_line_of_log_for_each_message(tmp_path: Path) -> None:
    mounted = tmp_path / "disk"
    mounted.mkdir()
    mount = f"mount -t tmpfs -o size=64k tmpfs {mounted}"
    fill = f"mkdir -p {mounted}/messages {mounted}/control; cat /dev/zero > {mounted}/ballast"
    script = f"{mount}; {fill}; exec {sys.executable} -c '{SEND}'"
    command = ["unshare", "--mount", "sh", "-c", script]
    log = _log_of_refused(command, tmp_path / "home", f"filesystem://{mounted}")
    assert "envyard.run not sent" in log
    assert "Traceback" not in log
