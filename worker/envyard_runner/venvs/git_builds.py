"""Builds wheels of git dependencies: their backend is a stranger's code, and runs in a sandbox.

What the backend itself requires is installed first, as wheels of the index at the time of the
version's upload. The sandbox has no endpoints: nothing is downloaded during a build.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from envyard.contract import wheel as wheels
from envyard.contract.findings import finding
from envyard.contract.job import GitArchive
from envyard_runner.config import Config
from envyard_runner.sandbox import Sandbox
from envyard_runner.sandbox.command import ENVIRONMENT
from envyard_runner.sandbox.exit import Exit
from envyard_runner.sandbox.guest_files import guest_files
from envyard_runner.sandbox.rundir import make_shared
from envyard_runner.sandbox.spawn import CHANNEL_FD, FOLDER
from envyard_runner.venvs import uv
from envyard_runner.venvs.sources import (
    BuildSystem,
    build_failed,
    build_system,
    plain_requirements,
    texts,
    unpack,
)
from envyard_runner.venvs.uv import VenvError

OUTPUT = 600  # characters of a failed build's output that its message has
WHEEL_LIMITS = replace(wheels.LIMITS, packed=512 << 20, expanded=2 << 30, members=50_000)
READ_BY_UV = ("metadata", "name", "version", "requires-dist", "requires-python", "provides-extra")
FILENAME = re.compile(r"[\w.+!-]{1,200}", re.ASCII)  # what is read as a tag may have slashes
PROGRAM = ["python", "-I", f"{FOLDER}/build_wheel.py", CHANNEL_FD, ENVIRONMENT]


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A git dependency and its archive on this machine, whose sha256 was verified."""

    source: GitArchive
    archive: Path


@dataclass(slots=True)
class GitBuilds:
    """The wheels of a version's git dependencies, which are built when they are first needed.

    `before` is the time of the index (ISO 8601) for what backends require.
    """

    config: Config
    downloaded: Sequence[Downloaded]
    before: str
    folder: Path
    deadline: float
    _wheels: dict[str, Path] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """The distributions' names."""
        return frozenset(each.source.name for each in self.downloaded)

    @property
    def identity(self) -> bytes:
        """Equal for equal archives that are built in the same way."""
        sources = [(each.source.archive.sha256, each.source.subdirectory, each.source.name)
                   for each in self.downloaded]  # fmt: skip
        return json.dumps([*sorted(sources), self.before]).encode() if sources else b""

    async def wheels(self) -> list[Path]:
        """All wheels; raises VenvError."""
        for each in self.downloaded:
            if each.source.name not in self._wheels:
                self._wheels[each.source.name] = await self._build(each)
        return list(self._wheels.values())

    async def lines(self, requirements: Sequence[Requirement]) -> list[str]:
        """The requirements with their wheels in place of the repositories; raises VenvError."""
        await self.wheels()
        lines = []
        for requirement in requirements:
            local = Requirement(str(requirement))
            local.url = self._wheels[canonicalize_name(requirement.name)].as_uri()
            lines.append(str(local))
        return lines

    async def _build(self, downloaded: Downloaded) -> Path:
        source = downloaded.source
        folder = self.folder / f"git-{hashlib.sha256(source.name.encode()).hexdigest()[:16]}"
        make_shared(folder)
        files, site = folder / "source", folder / "site"
        await asyncio.to_thread(unpack, source, downloaded.archive, files, self.config.build_bytes)
        system = build_system(source, files)
        await self._install(system.requires, site)
        more = [line async for line in self._hook(source, system, "requires", files, site)]
        requires = texts(more[0].get("requires")) if more else None
        if requires is None:
            raise build_failed(source, "its backend does not state what it requires")
        await self._install(plain_requirements(source, requires), site)
        parts = [line async for line in self._hook(source, system, "wheel", files, site)]
        return await asyncio.to_thread(_written, source, parts, folder)

    async def _install(self, requirements: Sequence[str], site: Path) -> None:
        """Install wheels for the backend, beside those that are there."""
        uv.make_writable(self.config, site.parent, site)
        if not requirements:
            return
        listed = site.parent / "build.in"
        listed.write_text("\n".join(requirements) + "\n", encoding="utf-8")
        newest = ("--exclude-newer", self.before) if self.before else ()
        await uv.run(
            self.config,
            *("install", "--target", site.name, "-r", listed.name, *newest),
            folder=site.parent,
            deadline=self.deadline,
        )

    async def _hook(
        self, source: GitArchive, system: BuildSystem, hook: str, files: Path, site: Path
    ) -> Any:
        """The lines that one hook of the backend emits; raises VenvError where it fails."""
        left = max(1.0, self.deadline - asyncio.get_running_loop().time())
        limits = self.config.limits
        limits = replace(limits, wall_seconds=min(left, limits.wall_seconds))
        output = bytearray()
        sandbox = Sandbox.prepare(
            config=self.config,
            venv=site,
            environment=files,
            files=guest_files("build_wheel.py"),
            limits=limits,
        )
        sandbox.on_log = output.extend
        async with sandbox:
            program = [*PROGRAM, source.subdirectory, system.backend, hook, *system.paths]
            (await sandbox.start(program)).close()
            async for line in sandbox.lines():
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    row = {}
                yield row if isinstance(row, dict) else {}
            ended = await sandbox.wait()
        _check_ended(source, ended, bytes(output))


def _check_ended(source: GitArchive, ended: Exit, output: bytes) -> None:
    if ended.reason in ("killed", "machine_memory"):
        message = f"building {source.name} was stopped: {ended.reason}"
        raise VenvError(finding("run.install_failed", message, where=source.name))
    if ended.reason != "exited" or ended.code:
        written = output.decode("utf-8", "replace")
        printable = "".join(c if c.isprintable() else " " for c in written)
        text = " ".join(printable.split())[-OUTPUT:]
        how = f"with {ended.code}" if ended.reason == "exited" else f"at a limit ({ended.reason})"
        raise build_failed(source, f"its build ended {how}: {text}")


def _written(source: GitArchive, rows: Sequence[dict[str, Any]], folder: Path) -> Path:
    """Write the wheel that the rows have; raises VenvError unless it is one of that name."""
    name = str(rows[0].get("wheel")) if rows else ""
    if not FILENAME.fullmatch(name):
        raise build_failed(source, f"its backend built {name[:100]!r}")
    try:
        built_name = parse_wheel_filename(name)[0]
        content = b"".join(base64.b64decode(row["part"], validate=True) for row in rows[1:-1])
    except (InvalidWheelFilename, KeyError, TypeError, ValueError, binascii.Error) as error:
        raise build_failed(source, f"its backend built no wheel: {error}") from error
    if not rows[-1].get("done") or built_name != source.name:
        raise build_failed(source, f"its backend built {name[:100]!r}")
    path = folder / name
    path.write_bytes(content)
    path.chmod(0o644)
    try:
        metadata = wheels.read(path, limits=WHEEL_LIMITS).metadata
    except wheels.Unreadable as error:
        raise build_failed(source, f"its wheel is refused: {error.finding.message}") from error
    for fault in metadata.faults:
        if fault.field in READ_BY_UV:
            raise build_failed(source, f"its wheel's METADATA: {fault.message}")
    plain_requirements(source, metadata.requires_dist)
    return path
