"""Which interpreter gets a stranger's code."""

import sys
from pathlib import Path

import pytest

from envyard import installer
from envyard.errors import UsageError


def venv(at: Path) -> Path:
    """The shape of a virtual environment."""
    python = at / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    return python


def test_installer_uses_the_active_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    venv(home / ".venv")
    active = venv(home / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(home / "active"))
    assert installer.target_python() == active


def test_installer_uses_the_environment_of_the_folder_without_an_active_one(home: Path) -> None:
    expected = venv(home / ".venv")
    assert installer.target_python() == expected


def test_installer_refuses_the_system_interpreter(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    with pytest.raises(UsageError, match="no virtual environment is active"):
        installer.target_python()


def test_installer_refuses_the_environment_of_a_hub(home: Path) -> None:
    python = venv(home / ".venv")
    (home / ".venv/lib/python3.11/site-packages/envyard_hub-0.1.0.dist-info").mkdir(parents=True)
    with pytest.raises(UsageError, match="a hub runs on"):
        installer.target_python()
    assert installer.target_python(str(python)) == python


def test_installer_rejects_a_missing_interpreter(home: Path) -> None:
    with pytest.raises(UsageError, match="is not a file"):
        installer.target_python("/no/such/python")


def test_installer_lets_uv_use_the_system_certificates_by_default(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    uv = home / "bin" / "uv"
    uv.parent.mkdir()
    uv.write_text("#!/bin/sh\necho certs=$UV_SYSTEM_CERTS\n")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", str(uv.parent))
    monkeypatch.delenv("UV_SYSTEM_CERTS", raising=False)
    installer.install(Path("python"), ["demo"], quiet=False)
    monkeypatch.setenv("UV_SYSTEM_CERTS", "0")
    installer.install(Path("python"), ["demo"], quiet=False)
    assert capfd.readouterr().err.split() == ["certs=1", "certs=0"]
