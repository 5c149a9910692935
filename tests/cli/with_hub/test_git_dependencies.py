"""A trainer gets the commit that the hub kept; `hub check` uses what the hub allows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer
from uv import find_uv_bin

from envyard.__main__ import main
from envyard.contract.git_requirements import Repositories
from registry import storage
from registry.accounts.models import User
from registry.catalog.locks import VersionLock
from registry.catalog.models import Version
from registry.git_sources import services
from tests import git_server, wheels
from tests.git_server import GitHost
from tests.registry.run_factories import make_version
from tests.worker.venvs.git_archives import project

LINE = "tool @ git+https://git.example/lab/tool@v1#subdirectory=packages/tool"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def git_host(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GitHost]:
    """A mirror of `git.example/lab/tool`, which the operator allows."""
    with git_server.serving(tmp_path) as host:
        entry = f"https://git.example/lab/tool={host.url}/lab/tool.git"
        settings.HUB_GIT_REPOSITORIES = Repositories.of([entry])
        with monkeypatch.context() as patched:
            patched.setenv("SSL_CERT_FILE", str(host.certificates))
            repository = host.create("lab/tool.git")
            repository.commit({f"packages/tool/{path}": text for path, text in project().items()})
            repository.git("tag", "v1", "main")
            yield host


@pytest.fixture
def version(alice: User, git_host: GitHost) -> Version:
    """Listed, with a lock."""
    wheel = wheels.make_wheel("demo-env", metadata={"Requires-Dist": [LINE]})
    version = make_version(alice.owner, wheel=wheel, status=Version.Status.EVALUATING)
    version.requires_dist = [LINE]
    version.save()
    assert services.pin(version) == []
    Version.objects.filter(pk=version.pk).update(
        status="listed", listed_at=version.uploaded_at, module="demo_env"
    )
    version.environment.latest = version
    version.environment.save()
    VersionLock.objects.create(
        version=version, platform="cpython-311", text="", sha256="0" * 64, packages=0
    )
    return version


@pytest.fixture
def command(
    live_server: LiveServer, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The command, for the test's hub."""
    settings.HUB_URL = live_server.url
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("UV_OFFLINE", "0")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/none")


def word_in(python: Path) -> str:
    return subprocess.run(
        [python, "-c", "import tool; print(tool.WORD)"], capture_output=True, text=True, check=True
    ).stdout.strip()


def venv(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / "bin/python"


def test_install_builds_the_hubs_archive_and_not_the_repository(
    version: Version, git_host: GitHost, command: None, tmp_path: Path
) -> None:
    git_host.requested.clear()
    python = venv(tmp_path / "train")
    assert main(["install", "alice/demo-env", "--python", str(python)]) == 0
    assert word_in(python) == "from git"
    assert git_host.requested == []


def test_install_refuses_another_archive(
    version: Version, command: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = version.git_sources.get()
    key = storage.key("git", source.sha256)
    with storage.get().file(key) as path:
        content = bytearray(path.read_bytes())
    content[4] ^= 1  # gzip's time
    storage.get().write(key, bytes(content), content_type="application/gzip", stamp=0)
    python = venv(tmp_path / "train")
    assert main(["install", "alice/demo-env", "--python", str(python)]) == 1
    assert "sha256" in capfd.readouterr().err


def test_a_locked_set_installs_without_the_repository(
    version: Version,
    git_host: GitHost,
    command: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["lock", "alice/demo-env"]) == 0
    out, err = capsys.readouterr()
    source = version.git_sources.get()
    assert f"# tool of https://git.example/lab/tool (packages/tool) at {source.commit[:12]}" in out
    assert "--no-deps --require-hashes" in err
    (tmp_path / "env.txt").write_text(out)
    python = venv(tmp_path / "train")
    install = [
        find_uv_bin(),
        "pip",
        "install",
        "--python",
        str(python),
        "--no-deps",
        "--require-hashes",
    ]
    subprocess.run([*install, "-r", str(tmp_path / "env.txt")], check=True, capture_output=True)
    assert word_in(python) == "from git"


def test_info_shows_repository_commit_and_archive(
    version: Version, command: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["info", "alice/demo-env"]) == 0
    source, out = version.git_sources.get(), capsys.readouterr().out
    assert f"https://git.example/lab/tool (packages/tool) at {source.commit[:12]}" in out
    assert source.sha256 in out


def test_check_uses_the_repositories_that_the_hub_allows(
    git_host: GitHost,
    command: None,
    tmp_path: Path,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = ["verifiers>=0.4", LINE]
    wheel = str(wheels.write_wheel(tmp_path, metadata={"Requires-Dist": lines}))
    main(["check", wheel])
    out, err = capsys.readouterr()
    assert "metadata.direct_url" not in out
    assert "tool from git: the hub fetches it after a push" in err

    settings.HUB_GIT_REPOSITORIES = Repositories()
    assert main(["check", wheel]) == 3
    sentence = "The hub's operator can allow https://git.example/lab/tool (HUB_GIT_REPOSITORIES)"
    assert sentence in capsys.readouterr().out
    assert main(["check", wheel, "--offline"]) == 3
    assert sentence in capsys.readouterr().out
