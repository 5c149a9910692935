"""Where vLLM or TRL cannot be installed their tests are skipped with the reason."""

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from envyard.contract.frameworks.adapters import ADAPTERS
from tools import cached_venv
from tools.cached_venv import COMPLETE, KEPT_SECONDS, Cached
from tools.trainers.install import APIS, HERE, TRAINERS
from tools.vllm.install import VLLM

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("cached", [VLLM, TRAINERS], ids=lambda cached: cached.name)
def test_a_failed_install_is_kept_as_the_reason_for_the_tests(
    cached: Cached, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    target = cached.folder()
    assert target.is_relative_to(tmp_path)
    assert f"`make test-{cached.name}` installs it" in cached.missing(target)
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / cached.name / "install.py"],
        env=os.environ | {"UV_OFFLINE": "1", "UV_CACHE_DIR": str(tmp_path / "uv")},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{cached.title} cannot be installed here: uv" in cached.missing(target)
    (target / COMPLETE).touch()
    assert not cached.missing(target)


def test_installations_unused_for_a_week_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    target = VLLM.folder()
    old, failed, busy, fresh = (target.with_name(f"vllm-{name}") for name in "abcd")
    other = TRAINERS.folder()
    for folder in (target, old, failed, busy, fresh, other):
        folder.mkdir(parents=True)
        (folder / "lock").touch()
    for folder in (target, old, busy, fresh, other):
        (folder / COMPLETE).touch()
    long_ago = time.time() - KEPT_SECONDS - 60
    for path in (target / COMPLETE, old / COMPLETE, busy / COMPLETE, failed, other / COMPLETE):
        os.utime(path, (long_ago, long_ago))
    with (busy / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert VLLM.main() == 0
    assert capsys.readouterr().out == f"{target}\n"
    assert set(target.parent.iterdir()) == {target, busy, fresh, other}
    assert (target / COMPLETE).stat().st_mtime > long_ago + 60  # used now


@pytest.mark.parametrize("api", APIS)
def test_a_trainer_is_tested_beside_what_runs_of_the_framework_install(api: str) -> None:
    adapter = ADAPTERS["verifiers", api]
    training = adapter.usage_texts.training
    assert training is not None
    lines = (HERE / f"requirements-{api}.in").read_text().splitlines()
    assert {line for line in lines if line[0] != "#"} == {
        training.requirement,
        cached_venv.TORCH,
        f"verifiers{training.releases}",
        *adapter.installed_beside,
        *adapter.preferred,
    }
