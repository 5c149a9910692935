"""One hub for most flows: started once, on the database that this pytest runs on."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests import layers, postgresql
from tests.flows.hub import Hub, serving


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    """A folder that the users of sandboxes can reach, outside the /tmp that forked ones replace.

    Its `runner` is the RUNNER_HOME of every flow, so that dependencies are installed only once.
    """
    with TemporaryDirectory(
        prefix="envyard-flow-", dir="/var/tmp", ignore_cleanup_errors=True
    ) as name:
        folder = Path(name)
        folder.chmod(0o711)
        layers.link_into(folder / "runner")
        yield folder


@pytest.fixture(scope="session")
def hub(home: Path) -> Iterator[Hub]:
    """Web, worker, clock and a runner that forks its sandboxes; a run gets 180 s."""
    with limited(home, "hub", forking=True, HUB_RUN_SECONDS="180") as hub:
        yield hub


@contextmanager
def limited(home: Path, name: str, *, forking: bool = False, **settings: str) -> Iterator[Hub]:
    """A hub in the folder of that name; a run gets 60 s of a CPU and 2 GiB, a rollout 20 s."""
    with ExitStack() as stack:
        server = os.environ.get("DATABASE_URL", "")
        url = stack.enter_context(postgresql.database(server)) if server else ""
        limits = {"HUB_ROLLOUT_SECONDS": "20"}
        limits |= {"RUNNER_CPU_SECONDS": "60", "RUNNER_MEMORY_MB": "2048", "RUNNER_EVENTS_MB": "16"}
        limits |= {"RUNNER_HOME": str(home / "runner"), "HUB_NEW_NAMES_PER_HOUR": "1000"}
        limits |= {"HUB_UPLOADS_PER_HOUR": "1000000", "HUB_QUEUED_VERSIONS": "1000000"}
        yield stack.enter_context(serving(home / name, url, forking=forking, **limits | settings))


@pytest.fixture(scope="module", autouse=True)
def kept(home: Path) -> Iterator[None]:
    """What was installed is there for the next session, and for vLLM's beside this one."""
    yield
    layers.keep(home / "runner")
