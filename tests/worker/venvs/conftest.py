"""A runner's venvs, built from a package index on this machine."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Sandbox
from envyard_runner.venvs import Venv, VenvError, build_venv
from tests.wheels import write_wheel
from tests.worker.venvs.index import serve


class Keeper:
    """Who keeps the locks of one version, as the hub does: the first that is offered stands."""

    def __init__(self) -> None:
        self.locks: dict[str, str] = {}
        self.offered: list[str] = []

    async def agree(self, platform: str, offered: str | None) -> str | None:
        """What stands for that platform."""
        if offered is not None:
            self.offered.append(offered)
            self.locks.setdefault(platform, offered)
        return self.locks.get(platform)


@dataclass(frozen=True, slots=True)
class World:
    """A runner, the index it uses, a folder for environments and one for witnesses."""

    config: Config
    index: Path
    wheels: Path
    asked: list[str] = field(default_factory=list)
    dated: list[bool] = field(default_factory=list)

    def build(
        self,
        *,
        requires: list[str] | None = None,
        extra: tuple[str, ...] = (),
        files: Mapping[str, str | bytes] | None = None,
        keeper: Keeper | None = None,
        before: str = "",
        **fields: str,
    ) -> Venv:
        """Build the venv of a small environment with these Requires-Dist lines."""
        metadata = {"Requires-Dist": requires, **fields}
        wheel = write_wheel(
            self.wheels,
            files=files or {"demo_env/__init__.py": "WORD = 'built'\n"},
            metadata=metadata,
        )
        agree = (keeper or Keeper()).agree
        return asyncio.run(
            build_venv(self.config, wheel, extra, agree=agree, before=before, seconds=60)
        )

    def publish(
        self,
        name: str,
        version: str = "1.0",
        *,
        files: Mapping[str, str | bytes] | None = None,
        requires: list[str] | None = None,
        uploaded: str = "2026-01-01T00:00:00Z",
    ) -> None:
        """Put a distribution on the index, as if at that time."""
        content = files or {f"{name}/__init__.py": f"VERSION = '{version}'\n"}
        fields = {"Requires-Dist": requires}
        wheel = write_wheel(self.index, name, version, files=content, metadata=fields)
        at = datetime.fromisoformat(uploaded).timestamp()
        os.utime(wheel, (at, at))

    def run(self, venv: Venv, code: str) -> str:
        """What the code prints in a sandbox with the venv."""

        async def contained() -> bytes:
            output = bytearray()
            async with Sandbox.prepare(
                config=self.config,
                venv=venv.dependencies,
                environment=venv.environment,
                job=b"{}",
                limits=Limits(wall_seconds=30),
            ) as sandbox:
                sandbox.on_log = output.extend
                (await sandbox.start(["python", "-c", code])).close()
                await sandbox.wait()
            return bytes(output)

        return asyncio.run(contained()).decode()


@pytest.fixture
def world() -> Iterator[World]:
    """An empty index on this machine and a runner that knows no other."""
    root = Path(tempfile.mkdtemp(prefix="envyard-venvs-", dir="/var/tmp"))
    root.chmod(0o755)
    for name in ("index", "wheels"):
        (root / name).mkdir()
    requests: list[str] = []
    dated = [True]
    server = serve(root / "index", requests, dated)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/simple"
    config = replace(
        Config.from_environment({**os.environ, "RUNNER_HOME": str(root / "home")}),
        index_environment={"UV_DEFAULT_INDEX": url, "UV_HTTP_RETRIES": "0"},
    )
    yield World(config, root / "index", root / "wheels", requests, dated)
    server.shutdown()
    server.server_close()
    thread.join()
    shutil.rmtree(root)


def refused(world: World, **wheel: object) -> VenvError:
    with pytest.raises(VenvError) as caught:
        world.build(**wheel)  # type: ignore[arg-type]
    assert list(world.config.builds.glob("*")) == []
    return caught.value
