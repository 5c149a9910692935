"""What the stock uploaders print where a quota refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from registry.accounts import tokens
from registry.models import User
from registry.quotas import services as quotas
from tests.wheels import filename, make_wheel

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(
    ("limit", "printed"),
    [("uploads_per_hour", "the limit is 0"), ("storage_bytes", "Ask the staff of this hub")],
)
def test_twine_prints_which_limit_refused_and_the_next_step(
    limit: str, printed: str, alice: User, live_server: LiveServer, settings: Settings,
    tmp_path: Path,
) -> None:  # fmt: skip
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    quotas.change(owner=alice.owner, by=None, **{limit: 0})
    key = tokens.mint(user=alice, name="test", scope="publish")[1]
    path = tmp_path / filename()
    path.write_bytes(make_wheel())
    url = f"{live_server.url}/legacy/alice/"
    command = [
        sys.executable,
        "-m",
        "twine",
        "upload",
        "--non-interactive",
        "--disable-progress-bar",
    ]
    home = {"COLUMNS": "300", "HOME": str(tmp_path)}
    done = subprocess.run(
        [*command, "--repository-url", url, "-u", "__token__", "-p", key, str(path)],
        capture_output=True, text=True, timeout=60, check=False, env=home,
    )  # fmt: skip
    assert done.returncode == 1
    assert printed in " ".join((done.stdout + done.stderr).split())
