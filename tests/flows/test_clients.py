"""Stock clients against the hub: twine, uv and pip, none of them told anything special."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.hub import BIN, Hub, clean_environ
from tests.wheels import make_wheel

pytestmark = [pytest.mark.flow, pytest.mark.timeout(600)]


def run(*command: str | Path, expect: int = 0, **environ: str) -> str:
    """What a client said; its exit code must be `expect`."""
    done = subprocess.run(
        [str(part) for part in command],
        env=clean_environ() | environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == expect, f"{command}: {done.returncode}\n{said}"
    return said


def wheel(folder: Path, name: str, version: str = "0.1.0", description: str = "# One\n") -> Path:
    """A wheel that needs nothing but verifiers."""
    path = folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
    path.write_bytes(make_wheel(name, version, description=description))
    return path


def twine(hub: Hub, path: Path, expect: int = 0) -> str:
    """`twine upload` with alice's token."""
    url = f"{hub.url}/legacy/alice/"
    return run(
        *(BIN / "twine", "upload", "--non-interactive", "--verbose", "--repository-url", url, path),
        expect=expect,
        TWINE_USERNAME="__token__",
        TWINE_PASSWORD=hub.token("alice"),
        COLUMNS="400",
    )


def test_twine_uploads_and_the_same_bytes_again_are_no_mistake(hub: Hub, tmp_path: Path) -> None:
    path = wheel(tmp_path, "by-twine")
    twine(hub, path)
    twine(hub, path)
    assert hub.version("alice/by-twine==0.1.0")["version"] == "0.1.0"
    (other := tmp_path / "other").mkdir()
    said = twine(hub, wheel(other, "by-twine", description="# Two\n"), expect=1)
    assert "File already exists" in said


def test_uv_publishes_then_uv_and_pip_install_from_the_index(hub: Hub, tmp_path: Path) -> None:
    path = wheel(tmp_path, "by-uv")
    publish = (BIN / "uv", "publish", "--publish-url", f"{hub.url}/legacy/alice/", "--token")
    run(*publish, hub.token("alice"), path)
    assert hub.decided("alice/by-uv==0.1.0")["status"] == "listed"
    index = f"{hub.url}/alice/simple/"
    run(*publish, hub.token("alice"), "--check-url", index, path)

    run(BIN / "uv", "venv", "-q", "--seed", "--python", sys.executable, tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(BIN / "uv", "pip", "install", "--python", python, "--no-deps", "--index", index, "by-uv")
    assert "by_uv" in run(BIN / "uv", "pip", "show", "--python", python, "--files", "by-uv")
    run(BIN / "uv", "pip", "uninstall", "--python", python, "by-uv")
    run(python, "-m", "pip", "install", "--no-deps", "--index-url", index, "by-uv==0.1.0")
    newer = ("--exclude-newer", "2020-01-01T00:00:00Z")
    said = run(
        *(BIN / "uv", "pip", "install", "--python", python, "--no-deps", "--reinstall", *newer),
        *("--default-index", index, "by-uv"),
        expect=1,
    )
    assert "by-uv" in said


def test_a_stranger_may_not_publish_under_alices_name(hub: Hub, tmp_path: Path) -> None:
    done = hub.run("push", wheel(tmp_path, "not-mine"), "--owner", "alice", by="carol", expect=1)
    assert "publish under" in done.stderr
