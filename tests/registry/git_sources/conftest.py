"""A git host, and a version that depends on what is there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_django import Settings

from envyard.contract.findings import Finding
from envyard.contract.git_requirements import Repositories
from registry.accounts.models import User
from registry.catalog.models import Version
from registry.git_sources import services
from tests import git_server
from tests.git_server import GitHost
from tests.registry.run_factories import make_version

ALLOWED = "https://git.example/lab"


@pytest.fixture
def git_host(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GitHost]:
    """A mirror of all repositories below `https://git.example/lab`."""
    with git_server.serving(tmp_path) as host:
        entry = f"{ALLOWED}/*={host.url}/lab/*"
        settings.HUB_GIT_REPOSITORIES = Repositories.of([entry])
        monkeypatch.setenv("SSL_CERT_FILE", str(host.certificates))
        yield host


@dataclass
class Pinner:
    """Pins what a version of alice's takes from git."""

    make: Callable[[], Version]

    def pin(self, *lines: str, version: Version | None = None) -> tuple[Version, list[Finding]]:
        """The version with these Requires-Dist lines, and the errors."""
        version = version or self.make()
        Version.objects.filter(pk=version.pk).update(requires_dist=list(lines))
        version.refresh_from_db()
        return version, services.pin(version)

    def refused(self, line: str) -> tuple[str, str]:
        """The code and message of the only error; nothing is kept."""
        version, (problem,) = self.pin(line)
        assert not version.git_sources.exists()
        return problem.code, problem.message


@pytest.fixture
def pinner(alice: User) -> Pinner:
    """Each version has a number of its own."""
    numbers = iter(range(1, 100))
    return Pinner(lambda: make_version(alice.owner, version=f"0.{next(numbers)}.0"))
