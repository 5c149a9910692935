"""Where vLLM cannot be installed its tests are told why."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tools.vllm import install


def test_a_failed_install_is_kept_as_the_reason_for_the_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    target = install.folder()
    assert target.is_relative_to(tmp_path)
    assert "`make test-vllm` installs it" in install.missing(target)
    done = subprocess.run(
        [sys.executable, settings.BASE_DIR / "tools" / "vllm" / "install.py"],
        env=os.environ | {"UV_OFFLINE": "1", "UV_CACHE_DIR": str(tmp_path / "uv")},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "vLLM cannot be installed here: uv" in install.missing(target)
    (target / install.COMPLETE).touch()
    assert not install.missing(target)
