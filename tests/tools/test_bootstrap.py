"""Setting up from nothing: downloads are checked, and missing programs are named."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WHEEL = "uv-0.13.9-py3-none-manylinux_2_17_{0}.manylinux2014_{0}.whl"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A package index on this machine: its folder and its URL."""
    folder = tmp_path / "index"
    (folder / "uv").mkdir(parents=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.02,))
        serving.start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What bootstrap.py reads of a checkout."""
    root = tmp_path / "clone"
    for name in (
        "tools/bootstrap.py",
        "uv.lock",
        "pyproject.toml",
        "cli/pyproject.toml",
        "worker/pyproject.toml",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    return root


def programs(folder: Path, *names: str) -> str:
    """A PATH with these programs and no others."""
    folder.mkdir()
    for name in names:
        program = shutil.which(name)
        assert program
        (folder / name).symlink_to(program)
    return str(folder)


def bootstrap(
    clone: Path, path: str, mode: str = "run", **environ: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, clone / "tools" / "bootstrap.py", mode],
        env={"PATH": path, "HOME": str(clone)} | environ,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_uv_with_other_bytes_is_not_used(
    clone: Path, index: tuple[Path, str], tmp_path: Path
) -> None:
    folder, url = index
    wheel = WHEEL.format(os.uname().machine)
    (folder / wheel).write_bytes(b"not the uv you want")
    page = f"<!DOCTYPE html><a href='../{wheel}#sha256=0'>{wheel}</a>"
    (folder / "uv" / "index.html").write_text(page)
    done = bootstrap(clone, programs(tmp_path / "bin", "bwrap"), UV_DEFAULT_INDEX=url)
    assert done.returncode == 1
    assert "expected d7f459fe" in done.stderr or "expected 5435c5ce" in done.stderr
    assert "not using it" in done.stderr
    assert not (clone / ".tools").exists()


def test_an_index_without_that_uv_is_named(
    clone: Path, index: tuple[Path, str], tmp_path: Path
) -> None:
    (index[0] / "uv" / "index.html").write_text("<a href='../uv-0.1.0.tar.gz'>uv</a>")
    done = bootstrap(clone, programs(tmp_path / "bin", "bwrap"), PIP_INDEX_URL=index[1])
    assert done.returncode == 1
    assert f"{index[1]}/uv/ has no uv 0.13.9" in done.stderr


def test_an_older_uv_on_the_path_is_passed_over(
    clone: Path, index: tuple[Path, str], tmp_path: Path
) -> None:
    path = programs(tmp_path / "bin", "bwrap", "sh")
    (tmp_path / "bin" / "uv").write_text("#!/bin/sh\necho uv 0.4.30\n")
    (tmp_path / "bin" / "uv").chmod(0o755)
    done = bootstrap(clone, path, UV_DEFAULT_INDEX=index[1])
    assert "bin/uv is older than 0.13.9: not using it" in done.stderr


def test_a_missing_sandbox_is_named_where_it_cannot_be_installed(
    clone: Path, tmp_path: Path
) -> None:
    done = bootstrap(clone, programs(tmp_path / "bin"))
    assert done.returncode == 1
    assert "please install bubblewrap with this system's package manager" in done.stderr


def test_what_the_stamp_vouches_for_is_not_installed_again(clone: Path, tmp_path: Path) -> None:
    path = programs(tmp_path / "bin", "bwrap", "sh")
    calls = tmp_path / "calls"
    sync = f'echo "$@" certs=$UV_SYSTEM_CERTS >> {calls}'
    uv = f"#!/bin/sh\ncase $1 in --version) echo uv 99.0.0;; *) {sync};; esac\n"
    (tmp_path / "bin" / "uv").write_text(uv)
    (tmp_path / "bin" / "uv").chmod(0o755)
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "python").touch()
    assert bootstrap(clone, path).returncode == 0
    assert bootstrap(clone, path).returncode == 0
    (sync,) = calls.read_text().splitlines()
    assert sync.startswith("sync --all-packages --frozen --python ")
    assert sync.endswith(" certs=1")
    (clone / "uv.lock").write_text("changed")
    assert bootstrap(clone, path).returncode == 0
    assert len(calls.read_text().splitlines()) == 2


def test_a_missing_browser_is_named_once_and_stops_nothing(clone: Path, tmp_path: Path) -> None:
    path = programs(tmp_path / "bin", "bwrap", "sh")
    (tmp_path / "bin" / "uv").write_text("#!/bin/sh\necho uv 99.0.0\n")
    (tmp_path / "bin" / "uv").chmod(0o755)
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "python").touch()
    assert "skipped" not in bootstrap(clone, path, "develop").stderr
    first, second = (bootstrap(clone, path, "test") for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0)
    assert "tests in a browser are skipped" in first.stderr
    assert "browser" not in second.stderr
