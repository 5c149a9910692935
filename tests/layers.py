"""Dependencies that a runner installed and byte-compiled, kept from one test session to the next.

They cost most of a minute of a processor, and the same lock gives the same bytes. A session gets
hard links into a RUNNER_HOME of its own, so that it shares no lock and no folder with another.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from envyard.contract.frameworks.adapters import ADAPTERS
from envyard_runner.config import Config
from envyard_runner.venvs import VenvError, build_venv
from envyard_runner.venvs.cache import FACTS, HASHES, SITE
from tests.wheels import write_wheel

CACHE = Path(os.environ.get("ENVYARD_TEST_CACHE") or Path(__file__).parents[1] / ".cache")
KEPT = CACHE / "layers"
UNUSED_SECONDS = 14 * 86400.0


@contextlib.contextmanager
def one_installs(name: str) -> Iterator[None]:
    """Exclude all other processes that install `name`: they find it in the cache afterwards."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def link_into(runner: Path) -> None:
    """Put what is kept into that RUNNER_HOME, after installing the framework where nothing is."""
    with one_installs("layers"):
        _drop_unusable()
        if not _complete_layers(KEPT):
            _install_framework()
    for layer in _complete_layers(KEPT):
        _link(layer, runner / "venvs" / layer.name)


def keep(runner: Path) -> None:
    """Keep what was installed there and is not an environment's own."""
    for layer in _complete_layers(runner / "venvs"):
        if json.loads((layer / FACTS).read_text())["packages"] > 1:
            _link(layer, KEPT / layer.name)


def _drop_unusable() -> None:
    """Delete layers that were not used for two weeks, and those that lost files.

    Cleaning a checkout deletes .pyc files; each import then compiles the framework again.
    """
    for layer in _complete_layers(KEPT):
        # The runner touches this file of each layer that it uses, and it is one for all links.
        unused = (layer / FACTS).stat().st_mtime < time.time() - UNUSED_SECONDS
        count = sum(len(files) for _, _, files in os.walk(layer / SITE))
        if unused or count != len(json.loads((layer / HASHES).read_text())):
            shutil.rmtree(layer, ignore_errors=True)


def _install_framework() -> None:
    """Keep the dependencies of an ordinary environment; nothing where they cannot be installed."""
    locks: dict[str, str] = {}

    async def agree(platform: str, offered: str | None) -> str | None:
        return locks.setdefault(platform, offered) if offered else locks.get(platform)

    with tempfile.TemporaryDirectory(prefix="envyard-layers-", dir="/var/tmp") as name:
        home = Path(name)
        home.chmod(0o755)  # the users of sandboxes must reach it
        config = Config.from_environment({**os.environ, "RUNNER_HOME": str(home / "runner")})
        with contextlib.suppress(VenvError):  # the tests that need them report it
            preferred = ADAPTERS["verifiers", "v1"].preferred
            asyncio.run(build_venv(config, write_wheel(home), agree=agree, preferred=preferred))
        keep(home / "runner")


def _complete_layers(folder: Path) -> list[Path]:
    return [path.parent for path in folder.glob(f"[!.]*/{FACTS}")]


def _link(source: Path, target: Path) -> None:
    """Link, or copy from another disk, unless it is there already."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.parent.chmod(0o755)
    staged = target.with_name(f".{secrets.token_hex(8)}")
    with contextlib.suppress(OSError, shutil.Error):
        shutil.copytree(source, staged, copy_function=_link_or_copy)
        staged.rename(target)
    shutil.rmtree(staged, ignore_errors=True)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)  # with its time, by which a .pyc is valid
