"""From a wheel to a folder of site-packages: resolve, install, byte-compile, put in place.

No Python that can see the folder runs outside the sandbox: `.pth` files and import hooks would run
with it. Dependencies are resolved by name first, then installed by hash; the wheel itself last and
without its dependencies, because installing by path would follow `Requires-Dist: x @ file:///...`.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from envyard.contract import wheel as wheels
from envyard.contract.codes import finding
from envyard_runner.config import Config
from envyard_runner.sandbox import interpreter
from envyard_runner.sandbox.command import Base
from envyard_runner.sandbox.rundir import OwnedDir, make_shared
from envyard_runner.venvs import cache, compiled, uv
from envyard_runner.venvs.uv import VenvError


@dataclass(frozen=True, slots=True)
class Venv:
    """A built venv: its site-packages folder (for Sandbox.prepare), its key and its distributions.

    `seconds` is what building took, 0.0 for one that was there already.
    """

    path: Path
    key: str
    packages: int
    seconds: float


async def build_venv(
    config: Config, wheel: Path, extra: Sequence[str] = (), *, seconds: float = 600.0
) -> Venv:
    """The venv of `wheel` with `extra` requirements, built within `seconds` or kept from before.

    `wheel` keeps the file name it was published under. Raises VenvError (see its `fault`) and, from
    byte-compiling, SandboxError. Run on the main thread's loop, like every sandbox.
    """
    began = time.monotonic()
    deadline = asyncio.get_running_loop().time() + seconds
    base = interpreter.base(config.python)
    requirements = _requirements(wheel, extra, base)
    identity = _identity(wheel, base)
    make_shared(config.home)
    owned = OwnedDir.create(config.builds)
    try:
        lock = await _lock(config, requirements, identity, owned.path, deadline)
        key = _digest(lock, identity.encode())
        if found := cache.find(config, key):
            return Venv(found.site, key, found.packages, 0.0)
        site = owned.path / cache.SITE
        packages = await _install(config, wheel, lock, owned.path, deadline)
        cache.settle(site)
        await compiled.compile_site(config, site, deadline)
        found = cache.keep(config, owned.path, lock, key, packages)
        return Venv(found.site, key, packages, time.monotonic() - began)
    finally:
        owned.remove()


def _requirements(wheel: Path, extra: Sequence[str], base: Base) -> list[str]:
    """What the wheel needs by name, and `extra`; raises VenvError for what no index can answer.

    The wheel's own name is left out: an index could answer with a stranger's distribution.
    """
    try:
        read = wheels.read(wheel)
    except wheels.Unreadable as error:
        raise VenvError(error.finding) from error
    _check_python(read.metadata.requires_python, base)
    lines = []
    for line in read.metadata.requires_dist:
        requirement = _parse(line)
        if requirement.url:
            message = f"Requires-Dist: {line} is a direct URL"
            raise VenvError(finding("metadata.direct_url", message, where=requirement.name))
        if canonicalize_name(requirement.name) != read.name:
            lines.append(str(requirement))
    return [*lines, *(str(_parse(line)) for line in extra)]


def _check_python(wanted: str, base: Base) -> None:
    try:
        fits = SpecifierSet(wanted).contains(base.version)
    except InvalidSpecifier:
        fits = False
    if not fits:
        message = f"Requires-Python is {wanted[:200]}; runs use Python {base.version}"
        raise VenvError(finding("env.dependencies_unresolvable", message, where="Requires-Python"))


def _parse(line: str) -> Requirement:
    try:
        return Requirement(line)
    except InvalidRequirement as error:
        message = f"Requires-Dist: {line[:200]} cannot be read"
        raise VenvError(finding("metadata.bad_requirement", message)) from error


async def _lock(
    config: Config, requirements: Iterable[str], identity: str, folder: Path, deadline: float
) -> bytes:
    """Exact versions with hashes; the same wheel and extras get the same lock while it is kept."""
    wanted = "\n".join(sorted(requirements)) + "\n"
    kept = config.home / "locks" / _digest(wanted.encode(), identity.encode())
    if kept.exists():
        return kept.read_bytes()
    uv.own(config, folder)
    (folder / "requirements.in").write_text(wanted, encoding="utf-8")
    await uv.run(
        config,
        *("compile", "requirements.in", "--output-file", "lock.txt"),
        *("--generate-hashes", "--no-header", "--no-annotate"),
        folder=folder,
        deadline=deadline,
    )
    lock = (folder / "lock.txt").read_bytes()
    make_shared(kept.parent)
    written = kept.with_name(f".{folder.name}")
    written.write_bytes(lock)
    written.rename(kept)
    return lock


async def _install(config: Config, wheel: Path, lock: bytes, folder: Path, deadline: float) -> int:
    """Install the lock and the wheel into the build's site folder; returns how many there are."""
    uv.own(config, folder, folder / cache.SITE)
    with (folder / "pinned.txt").open("xb") as file:  # never through a link
        file.write(lock)
    shutil.copyfile(wheel, folder / wheel.name)
    common = ("install", "--no-deps", "--target", cache.SITE)
    packages = sum(1 for line in lock.splitlines() if line[:1].strip(b"# "))
    if packages:
        await uv.run(
            config,
            *common,
            "--require-hashes",
            "-r",
            "pinned.txt",
            folder=folder,
            deadline=deadline,
        )
    await uv.run(config, *common, f"./{wheel.name}", folder=folder, deadline=deadline)
    return packages + 1


def _identity(wheel: Path, base: Base) -> str:
    return _digest(wheel.read_bytes(), str(base.python).encode(), base.version.encode())


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
