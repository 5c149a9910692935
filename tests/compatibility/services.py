"""What the measured runs may reach, all on loopback, and what their operator keeps for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from envyard_runner.proxy.outside import Outside
from tests import data_hub
from tests.compatibility import git_repositories, judge, operator_data, outside, rows
from tests.compatibility.git_repositories import AllowedRepositories
from tests.worker.proxy.hosts import Resolver

DATA_TOKEN = "hf_made_up"  # its account accepted the terms of the gated sets


@dataclass(frozen=True, slots=True)
class Services:
    """`settings` are the runner's environment variables that name them, `resolver` leads to the
    hosts."""

    settings: dict[str, str] = field(default_factory=dict)
    resolver: Resolver = field(default_factory=lambda: Resolver({}))
    git: AllowedRepositories = field(default_factory=AllowedRepositories)

    def outside(self) -> Outside:
        """The network of one run."""
        return self.resolver.outside()


@contextmanager
def serving(snapshots: Path | None = None) -> Iterator[Services]:
    """Serve everything for as long as the block runs; git repositories from `snapshots`."""
    with TemporaryDirectory(prefix="envyard-compatibility-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the users of sandboxes read the operator's folders
        for part in ("data", "git", "hosts", "operator"):
            (folder / part).mkdir(mode=0o755)
        with (
            data_hub.serving(folder / "data") as data,
            judge.serving() as judge_settings,
            outside.serving(folder / "hosts") as hosts,
            git_repositories.serving(folder / "git", snapshots) as git,
        ):
            data.token = DATA_TOKEN
            rows.write_all(data)
            settings = {"RUNNER_DATA_URL": data.url, "RUNNER_DATA_TOKEN": DATA_TOKEN}
            settings |= judge_settings | hosts.settings | {"RUNNER_HOSTS": "yes"}
            settings |= operator_data.settings(folder / "operator")
            yield Services(settings, hosts.resolver, git)
