"""A runner's venvs, built from a package index on this machine."""

from __future__ import annotations

import asyncio
import hashlib
import html
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Sandbox
from envyard_runner.venvs import Venv, VenvError, build_venv
from tests.wheels import write_wheel


class Index(BaseHTTPRequestHandler):
    """A package index of the files in a folder: PEP 503 pages with hashes."""

    def __init__(self, folder: Path, asked: list[str], *arguments: object) -> None:
        self.folder, self.asked = folder, asked
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer a project's page or a file."""
        self.asked.append(self.path)
        *_, kind, name = self.path.rstrip("/").split("/")
        content = self._page(name) if kind == "simple" else (self.folder / name).read_bytes()
        self.send_response(200 if content else 404)
        self.send_header("Content-Type", "text/html" if kind == "simple" else "application/zip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET  # noqa: N815

    def _page(self, name: str) -> bytes:
        links = [
            f'<a href="/files/{file.name}#sha256={hashlib.sha256(file.read_bytes()).hexdigest()}">'
            f"{html.escape(file.name)}</a>"
            for file in self.folder.iterdir()
            if file.name.split("-")[0].replace("_", "-") == name
        ]
        return "\n".join(links).encode()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Keep quiet."""


@dataclass(frozen=True, slots=True)
class World:
    """A runner, the index it uses, a folder for environments and one for witnesses."""

    config: Config
    index: Path
    wheels: Path
    asked: list[str] = field(default_factory=list)

    def build(
        self,
        *,
        requires: list[str] | None = None,
        extra: tuple[str, ...] = (),
        files: Mapping[str, str] | None = None,
        **fields: str,
    ) -> Venv:
        """Build the venv of a small environment with these Requires-Dist lines."""
        metadata = {"Requires-Dist": requires, **fields}
        wheel = write_wheel(
            self.wheels,
            files=files or {"demo_env/__init__.py": "WORD = 'built'\n"},
            metadata=metadata,
        )
        return asyncio.run(build_venv(self.config, wheel, extra, seconds=60))

    def publish(
        self,
        name: str,
        version: str = "1.0",
        *,
        files: Mapping[str, str] | None = None,
        requires: list[str] | None = None,
    ) -> None:
        """Put a distribution on the index."""
        content = files or {f"{name}/__init__.py": f"VERSION = '{version}'\n"}
        write_wheel(self.index, name, version, files=content, metadata={"Requires-Dist": requires})

    def run(self, venv: Venv, code: str) -> str:
        """What the code prints in a sandbox with the venv."""

        async def contained() -> bytes:
            said = bytearray()
            async with Sandbox.prepare(
                config=self.config,
                venv=venv.dependencies,
                environment=venv.environment,
                job=b"{}",
                limits=Limits(wall_seconds=30),
            ) as sandbox:
                sandbox.on_log = said.extend
                (await sandbox.start(["python", "-c", code])).close()
                await sandbox.wait()
            return bytes(said)

        return asyncio.run(contained()).decode()


@pytest.fixture
def world() -> Iterator[World]:
    """An empty index on this machine and a runner that knows no other."""
    root = Path(tempfile.mkdtemp(prefix="envyard-venvs-", dir="/var/tmp"))
    root.chmod(0o755)
    for name in ("index", "wheels"):
        (root / name).mkdir()
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Index, root / "index", asked))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/simple"
    config = replace(
        Config.from_environment({**os.environ, "RUNNER_HOME": str(root / "home")}),
        index_environment={"UV_DEFAULT_INDEX": url, "UV_HTTP_RETRIES": "0"},
    )
    yield World(config, root / "index", root / "wheels", asked)
    server.shutdown()
    server.server_close()
    thread.join()
    shutil.rmtree(root)


def refused(world: World, **wheel: object) -> VenvError:
    with pytest.raises(VenvError) as caught:
        world.build(**wheel)  # type: ignore[arg-type]
    assert list(world.config.builds.glob("*")) == []
    return caught.value
