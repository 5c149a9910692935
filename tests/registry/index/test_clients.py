"""The index and the files as stock uv uses them, over real HTTP."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer
from uv import find_uv_bin

from registry.accounts import tokens
from registry.models import Environment, User
from tests.factories import make_version
from tests.wheels import make_wheel

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def index(live_server: LiveServer, settings: Any, tmp_path: Path) -> str:
    """The host and path of alice's index, without scheme."""
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    return f"{live_server.url.removeprefix('http://')}/alice/simple/"


def uv(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`uv pip install --target ...` with nothing but the given index and an empty cache."""
    command = [find_uv_bin(), "pip", "install", "--no-config", "--no-cache", "--no-deps"]
    target = ["--target", str(tmp_path / "target")]
    return subprocess.run(
        [*command, *target, *words], capture_output=True, text=True, timeout=60, check=False
    )


def installed(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "target").glob("*.dist-info"))


def publish(alice: User, version: str, **fields: Any) -> None:
    make_version(alice, version=version, wheel=make_wheel(version=version), **fields)


def test_uv_installs_the_newest_version_that_is_not_yanked(
    index: str, alice: User, tmp_path: Path
) -> None:
    publish(alice, "0.9.0")
    publish(alice, "0.10.0")
    publish(alice, "0.11.0", yanked_at=datetime.now(UTC), yanked_reason="wrong reward")
    publish(alice, "0.12.0", status="evaluating")
    done = uv(tmp_path, "--index-url", f"http://{index}", "demo-env")
    assert done.returncode == 0, done.stderr
    assert installed(tmp_path) == ["demo_env-0.10.0.dist-info"]
    assert Environment.objects.get().installs == 1


def test_uv_installs_a_yanked_version_by_exact_pin_and_shows_the_reason(
    index: str, alice: User, tmp_path: Path
) -> None:
    publish(alice, "0.1.0", yanked_at=datetime.now(UTC), yanked_reason="wrong reward")
    done = uv(tmp_path, "--index-url", f"http://{index}", "demo-env==0.1.0")
    assert installed(tmp_path) == ["demo_env-0.1.0.dist-info"]
    assert "wrong reward" in done.stderr


def test_uv_sees_when_a_version_was_uploaded(index: str, alice: User, tmp_path: Path) -> None:
    publish(alice, "0.1.0")
    before = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    after = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    words = ("--index-url", f"http://{index}", "demo-env", "--exclude-newer")
    assert uv(tmp_path, *words, before).returncode != 0
    assert uv(tmp_path, *words, after).returncode == 0


def test_uv_needs_a_token_for_a_private_environment(
    index: str, alice: User, carol: User, tmp_path: Path
) -> None:
    publish(alice, "0.1.0", visibility="private")
    refused = uv(tmp_path, "--index-url", f"http://{index}", "demo-env")
    assert refused.returncode != 0
    for user, may in ((carol, False), (alice, True)):
        text = tokens.mint(user=user, name="uv", scope="read")[1]
        url = f"http://__token__:{text}@{index}"
        assert (uv(tmp_path, "--index-url", url, "demo-env").returncode == 0) is may


def test_uv_goes_on_to_the_next_index_for_a_name_that_is_not_here(
    index: str, alice: User, bob: User, tmp_path: Path
) -> None:
    make_version(bob, "bobs-env", wheel=make_wheel("bobs-env"))
    publish(alice, "0.1.0")
    other = index.replace("/alice/", "/bob/")
    words = ("--index", f"http://{index}", "--default-index", f"http://{other}")
    assert uv(tmp_path, *words, "bobs-env").returncode == 0
