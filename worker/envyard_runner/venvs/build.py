"""From a wheel to a folder of site-packages: resolve, install, byte-compile, put in place.

No Python that can see the folder runs outside the sandbox: `.pth` files and import hooks would run
with it. Dependencies are resolved by name first, then installed by hash; the wheel itself last and
without its dependencies, because installing by path would follow `Requires-Dist: x @ file:///...`.

Dependencies are a layer of their own, shared by all wheels with the same lock: installing and
compiling a framework takes most of a minute, the files of one environment take none.
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
from envyard_runner.sandbox.command import ENVIRONMENT, Base
from envyard_runner.sandbox.rundir import OwnedDir, make_shared
from envyard_runner.venvs import cache, compiled, uv
from envyard_runner.venvs.uv import VenvError

# Every Python inside finds the environment by it, whatever its options; the name sorts first.
PATH_FILE = "__environment__.pth"


@dataclass(frozen=True, slots=True)
class Venv:
    """Two folders for Sandbox.prepare: the dependencies, which versions share, and the wheel's own.

    `packages` counts distributions; `seconds` is what building took, 0.0 where both were kept.
    """

    dependencies: Path
    environment: Path
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
    digest = hashlib.sha256(_content(wheel) or b"").digest()
    python = f"{base.python} {base.version}".encode()
    make_shared(config.home)
    owned = OwnedDir.create(config.builds)
    try:
        kept_lock = config.home / "locks" / _key(digest, python, "\n".join(requirements).encode())
        lock = await _lock(config, requirements, kept_lock, owned.path, deadline)
        layer_key, own_key = _key(python, lock), _key(digest, python)
        layer, own = cache.find(config, layer_key), cache.find(config, own_key)
        built = layer is None or own is None
        if layer is None:
            layer = await _dependencies(config, lock, layer_key, owned.path, deadline)
        if own is None:
            own = await _environment(config, wheel, layer, own_key, owned.path, deadline)
        return Venv(
            dependencies=layer.site,
            environment=own.site,
            packages=layer.packages + own.packages,
            seconds=time.monotonic() - began if built else 0.0,
        )
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
    return sorted([*lines, *(str(_parse(line)) for line in extra)])


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
    config: Config, requirements: Iterable[str], kept: Path, folder: Path, deadline: float
) -> bytes:
    """Exact versions with hashes; the same wheel and extras get the same lock while it is kept."""
    if (lock := _content(kept)) is not None:
        return lock
    uv.own(config, folder)
    (folder / "requirements.in").write_text("\n".join(requirements) + "\n", encoding="utf-8")
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


async def _dependencies(
    config: Config, lock: bytes, key: str, folder: Path, deadline: float
) -> cache.Kept:
    """What the lock names, installed and compiled once for all wheels that need the same."""
    if kept := cache.find(config, key):
        return kept
    site = folder / "dependencies"
    uv.own(config, folder, site)
    with (folder / "pinned.txt").open("xb") as file:  # never through a link
        file.write(lock)
    packages = sum(1 for line in lock.splitlines() if line[:1].strip(b"# "))
    if packages:
        pinned = ("--require-hashes", "-r", "pinned.txt")
        await _install(config, site, *pinned, folder=folder, deadline=deadline)
    cache.settle(site)
    (site / PATH_FILE).write_text(f"{ENVIRONMENT}\n", encoding="ascii")
    await compiled.compile_folder(config, site, deadline)
    return cache.keep(config, site, key, packages)


async def _environment(
    config: Config, wheel: Path, layer: cache.Kept, key: str, folder: Path, deadline: float
) -> cache.Kept:
    """The wheel's own files in a folder of their own; where both have a module, the layer wins."""
    own = folder / "environment"
    uv.own(config, folder, own)
    shutil.copyfile(wheel, folder / wheel.name)
    await _install(config, own, f"./{wheel.name}", folder=folder, deadline=deadline)
    cache.settle(own)
    await compiled.compile_folder(config, own, deadline, beside=layer.site)
    return cache.keep(config, own, key, 1)


async def _install(config: Config, site: Path, *what: str, folder: Path, deadline: float) -> None:
    command = ("install", "--no-deps", "--target", site.name, *what)
    await uv.run(config, *command, folder=folder, deadline=deadline)


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


def _key(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
