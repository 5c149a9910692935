"""Messages: sent after commit, and a broker that is down undoes nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction

from registry import doorbell
from tests.registry.conftest import Bells

SEND = """
import django; django.setup()
from registry import doorbell
print(doorbell.send("envyard.run", queue="runs"))
"""


def test_a_message_waits_for_the_commit(bells: Bells) -> None:
    with bells.committed(), transaction.atomic():
        doorbell.after_commit("registry.judge", run_id="x")
        assert bells.heard("hub") == []
    assert bells.heard("hub") == [("registry.judge", {"run_id": "x"})]


def test_a_broker_that_is_down_is_logged_and_raises_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEND],
        env={
            "DJANGO_SETTINGS_MODULE": "hub.settings",
            "HUB_HOME": str(tmp_path),
            "HUB_BROKER_URL": "amqp://127.0.0.1:18379//",
            "PATH": "/bin",
        },
        cwd=settings.BASE_DIR,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "False\n"
    assert "envyard.run not sent" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_costs_one_line_of_log_for_each_message(tmp_path: Path) -> None:
    mounted = tmp_path / "disk"
    mounted.mkdir()
    mount = f"mount -t tmpfs -o size=64k tmpfs {mounted}"
    fill = f"mkdir -p {mounted}/messages {mounted}/control; cat /dev/zero > {mounted}/ballast"
    done = subprocess.run(
        [
            *("unshare", "--mount", "sh", "-c"),
            f"{mount}; {fill}; exec {sys.executable} -c '{SEND}'",
        ],
        env={
            "DJANGO_SETTINGS_MODULE": "hub.settings",
            "HUB_HOME": str(tmp_path / "home"),
            "HUB_BROKER_URL": f"filesystem://{mounted}",
            "PATH": "/usr/bin:/bin",
        },
        cwd=settings.BASE_DIR,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "False\n"
    assert "envyard.run not sent" in done.stderr
    assert "Traceback" not in done.stderr
