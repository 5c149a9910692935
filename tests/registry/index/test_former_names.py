"""Stock installers whose index is the one that an environment has left."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer
from uv import find_uv_bin

from registry.catalog.transfer import transfer
from registry.models import Environment, Organisation, User
from tests.factories import make_version
from tests.wheels import make_wheel

pytestmark = pytest.mark.django_db(transaction=True)
PROJECT = """
[project]
name = "trainer"
version = "1"
requires-python = ">=3.11"
dependencies = ["demo-env"]
[tool.uv.sources]
demo-env = {{ index = "alice" }}
[[tool.uv.index]]
name = "alice"
url = "{url}"
explicit = true
"""


@pytest.fixture
def index(live_server: LiveServer, settings: Any, tmp_path: Path, alice: User) -> str:
    """Alice's index, on which demo-env is."""
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    make_version(alice, wheel=make_wheel(metadata={"Requires-Dist": None}))
    return f"{live_server.url}/alice/simple/"


def run(*words: str, cwd: Path) -> str:
    """What the program wrote, once it has ended well."""
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def uv(cwd: Path, *words: str) -> str:
    """uv with an empty cache."""
    return run(find_uv_bin(), *words, "--no-cache", "--python", sys.executable, cwd=cwd)


def test_lock_from_the_old_index_still_installs(
    index: str, alice: User, lab: Organisation, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(PROJECT.format(url=index))
    uv(tmp_path, "lock")
    before = (tmp_path / "uv.lock").read_text()
    transfer(environment=Environment.objects.get(), to=lab.owner, by=alice)
    uv(tmp_path, "sync", "--frozen", "--no-install-project")
    uv(tmp_path, "lock", "--upgrade")
    assert (tmp_path / "uv.lock").read_text() == before
