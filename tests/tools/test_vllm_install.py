"""Where vLLM cannot be installed its tests are skipped with the reason."""

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.vllm import install

ROOT = Path(__file__).parents[2]


def test_a_failed_install_is_kept_as_the_reason_for_the_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    target = install.folder()
    assert target.is_relative_to(tmp_path)
    assert "`make test-vllm` installs it" in install.missing(target)
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "vllm" / "install.py"],
        env=os.environ | {"UV_OFFLINE": "1", "UV_CACHE_DIR": str(tmp_path / "uv")},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "vLLM cannot be installed here: uv" in install.missing(target)
    (target / install.COMPLETE).touch()
    assert not install.missing(target)


def test_installations_unused_for_a_week_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    target = install.folder()
    old, failed, busy, fresh = (target.with_name(f"vllm-{name}") for name in "abcd")
    for folder in (target, old, failed, busy, fresh):
        folder.mkdir(parents=True)
        (folder / "lock").touch()
    for folder in (target, old, busy, fresh):
        (folder / install.COMPLETE).touch()
    long_ago = time.time() - install.KEPT_SECONDS - 60
    for folder in (
        target / install.COMPLETE,
        old / install.COMPLETE,
        busy / install.COMPLETE,
        failed,
    ):
        os.utime(folder, (long_ago, long_ago))
    with (busy / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert install.main() == 0
    assert capsys.readouterr().out == f"{target}\n"
    assert set(target.parent.iterdir()) == {target, busy, fresh}
    assert (target / install.COMPLETE).stat().st_mtime > long_ago + 60  # used now
