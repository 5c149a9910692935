"""A runner's venvs, built from a package index on this machine."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Sandbox
from envyard_runner.venvs import Venv, VenvError, build_venv, uv
from envyard_runner.venvs.git_builds import Downloaded
from envyard_runner.venvs.script_wheels import VARIABLES
from tests.wheels import write_wheel
from tests.worker.venvs.index import serve


class LockStore:
    """Stores the locks of one version as the hub does: the first offer of a platform is kept."""

    def __init__(self) -> None:
        self.locks: dict[str, str] = {}
        self.offered: list[str] = []

    async def agree(self, platform: str, offered: str | None) -> str | None:
        """The stored lock of that platform, or None."""
        if offered is not None:
            self.offered.append(offered)
            self.locks.setdefault(platform, offered)
        return self.locks.get(platform)


@dataclass(frozen=True, slots=True)
class VenvSetup:
    """A runner's settings, its index, a folder for wheels, and the requests that the index got.

    The last of `cached_for` is the number of seconds for which the index lets its pages be cached.
    """

    config: Config
    index: Path
    wheels: Path
    requested: list[str] = field(default_factory=list)
    dated: list[bool] = field(default_factory=list)
    cached_for: list[int] = field(default_factory=list)

    def build(
        self,
        *,
        requires: list[str] | None = None,
        extra: tuple[str, ...] = (),
        files: Mapping[str, str | bytes] | None = None,
        lock_store: LockStore | None = None,
        before: str = "",
        git: Sequence[Downloaded] = (),
        left_out: Sequence[str] = (),
        preferred: Sequence[str] = (),
        **fields: str,
    ) -> Venv:
        """Build the venv of a small environment with these Requires-Dist lines."""
        metadata = {"Requires-Dist": requires, **fields}
        wheel = write_wheel(
            self.wheels,
            files=files or {"demo_env/__init__.py": "WORD = 'built'\n"},
            metadata=metadata,
        )
        agree = (lock_store or LockStore()).agree
        options = {"agree": agree, "before": before, "git": git}
        options |= {"left_out": left_out, "preferred": preferred}
        return asyncio.run(build_venv(self.config, wheel, extra, **options, seconds=60))

    def add_to_index(
        self,
        name: str,
        version: str = "1.0",
        *,
        files: Mapping[str, str | bytes] | None = None,
        requires: list[str] | None = None,
        uploaded: str = "2026-01-01T00:00:00Z",
    ) -> None:
        """Add a distribution to the index, with that upload time."""
        content = files or {f"{name}/__init__.py": f"VERSION = '{version}'\n"}
        fields = {"Requires-Dist": requires}
        wheel = write_wheel(self.index, name, version, files=content, metadata=fields)
        at = datetime.fromisoformat(uploaded).timestamp()
        os.utime(wheel, (at, at))

    def run_code(self, venv: Venv, code: str) -> str:
        """The output of the code in a sandbox with the venv, and uv where the venv has wheels for
        scripts."""

        async def contained() -> bytes:
            output = bytearray()
            async with Sandbox.prepare(
                config=self.config,
                venv=venv.dependencies,
                environment=venv.environment,
                files={},
                limits=Limits(wall_seconds=60),
                variables=VARIABLES if venv.script_wheels else {},
                programs={"uv": uv.shared_program(self.config)} if venv.script_wheels else {},
            ) as sandbox:
                sandbox.on_log = output.extend
                (await sandbox.start(["python", "-c", code])).close()
                await sandbox.wait()
            return bytes(output)

        return asyncio.run(contained()).decode()


@pytest.fixture
def venv_setup() -> Iterator[VenvSetup]:
    """An empty index on this machine, and a runner that uses no other."""
    root = Path(tempfile.mkdtemp(prefix="envyard-venvs-", dir="/var/tmp"))
    root.chmod(0o755)
    for name in ("index", "wheels"):
        (root / name).mkdir()
    requests: list[str] = []
    dated, cached_for = [True], list[int]()
    server = serve(root / "index", requests, dated, cached_for)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/simple"
    config = replace(
        Config.from_environment({**os.environ, "RUNNER_HOME": str(root / "home")}),
        index_environment={"UV_DEFAULT_INDEX": url, "UV_HTTP_RETRIES": "0"},
    )
    yield VenvSetup(config, root / "index", root / "wheels", requests, dated, cached_for)
    server.shutdown()
    server.server_close()
    thread.join()
    shutil.rmtree(root)


def build_refused(venv_setup: VenvSetup, **wheel: object) -> VenvError:
    with pytest.raises(VenvError) as caught:
        venv_setup.build(**wheel)  # type: ignore[arg-type]
    assert list(venv_setup.config.builds.glob("*")) == []
    return caught.value
