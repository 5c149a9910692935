"""From a wheel to a folder of site-packages: resolve, install, byte-compile, put in place.

No Python that can see the folder runs outside the sandbox: `.pth` files and import hooks would run
with it. Dependencies are installed by the version's lock; the wheel itself last and without its
dependencies, because installing by path would follow `Requires-Dist: x @ file:///...`.

Dependencies are a layer of their own, shared by all wheels with the same lock: installing and
compiling a framework takes most of a minute, the files of one environment take none.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from envyard.contract.findings import finding
from envyard.contract.lock import Pin, render
from envyard_runner.config import Config
from envyard_runner.sandbox.command import ENVIRONMENT
from envyard_runner.sandbox.rundir import OwnedDir, make_shared
from envyard_runner.venvs import cache, compiled, disk_space, locks, pythons, uv
from envyard_runner.venvs.git_builds import Downloaded, GitBuilds
from envyard_runner.venvs.locks import AgreeLock
from envyard_runner.venvs.script_wheels import FOLDER, write_wheels
from envyard_runner.venvs.uv import VenvError

# Every Python inside finds the environment by it, whatever its options; the name sorts first.
PATH_FILE = "__environment__.pth"


@dataclass(frozen=True, slots=True)
class Venv:
    """Two folders for Sandbox.prepare: the dependencies, which versions share, and the wheel's own.

    `packages` counts distributions; `seconds` is what building took, 0.0 where both were kept.
    `python` is the interpreter that they were built for, `pins` the version's lock. With
    `script_wheels` the wheel's own folder has wheels for its inline scripts.
    """

    dependencies: Path
    environment: Path
    packages: int
    seconds: float
    python: Path | None = None
    pins: tuple[Pin, ...] = ()
    script_wheels: bool = False


async def build_venv(
    config: Config,
    wheel: Path,
    extra: Sequence[str] = (),
    *,
    driven: Sequence[str] | None = None,
    requires_python: str = "",
    agree: AgreeLock,
    before: str = "",
    git: Sequence[Downloaded] = (),
    left_out: Sequence[str] = (),
    preferred: Sequence[str] = (),
    seconds: float = 600.0,
) -> Venv:
    """The venv of `wheel` with `extra` requirements, built within `seconds` or kept from before.

    It is built with the newest interpreter that the wheel and `requires_python` admit. `driven` are
    the requirements that an earlier lock must meet (`extra` unless given). `wheel` keeps the file
    name it was published under; `agree` reads and stores the version's locks at the hub, and
    `before` (ISO 8601) is the time of the index that counts where there is no lock yet. `git`
    are the archives of what the wheel takes from git repositories; `left_out` are distributions
    that are not installed whatever requires them, and `preferred` pins that a new lock has where
    nothing requires another release. Raises VenvError (see its `fault`) and, from byte-compiling,
    SandboxError. Run on the main thread's loop, like every sandbox.
    """
    began = time.monotonic()
    deadline = asyncio.get_running_loop().time() + seconds
    wheel_requirements = await asyncio.to_thread(
        locks.requirements_of, wheel, frozenset(_names(git))
    )
    base = pythons.newest_admitted(config, (wheel_requirements.requires_python, requires_python))
    config = replace(config, python=base.python)
    requirements = [*wheel_requirements.lines, *extra]
    python = f"{base.python} {base.platform}".encode()
    make_shared(config.home)
    uv.make_writable(config)
    try:
        with _folder(config) as folder:
            builds = GitBuilds(config, git, before, folder, deadline)
            pins = await locks.lock(
                config, base, sorted(requirements), added=extra, agree=agree, before=before,
                optional=wheel_requirements.scripts, left_out=left_out, preferred=preferred,
                folder=folder, deadline=deadline,
                git=locks.GitRequirements(wheel_requirements.git, builds) if git else None,
            )  # fmt: skip
            locks.check_driven(pins, extra if driven is None else driven, builds.names)
            layer_key = _key(python, render(pins).encode(), *filter(None, [builds.identity]))
            scripts = wheel_requirements.scripts
            own_key = _key(python, _content(wheel), *([layer_key.encode()] if scripts else []))
            layer, own = cache.lookup(config, layer_key), cache.lookup(config, own_key)
            built = layer is None or own is None
            if layer is None:
                layer = await _dependencies(config, pins, builds, layer_key, folder, deadline)
            if own is None:
                own = await _environment(config, wheel, layer, own_key, folder, deadline, scripts)
    except VenvError:
        await asyncio.to_thread(disk_space.free_space, config)  # it leaves what was unpacked
        raise
    if built:
        await asyncio.to_thread(disk_space.free_space, config)
    return Venv(
        dependencies=layer.site,
        environment=own.site,
        packages=layer.packages + own.packages,
        seconds=time.monotonic() - began if built else 0.0,
        python=base.python,
        pins=pins,
        script_wheels=bool(scripts),
    )


@contextmanager
def _folder(config: Config) -> Iterator[Path]:
    """A folder for one build, which is gone afterwards."""
    owned = OwnedDir.create(config.builds)
    try:
        yield owned.path
    finally:
        owned.remove()


async def _dependencies(
    config: Config,
    pins: Sequence[Pin],
    builds: GitBuilds,
    key: str,
    folder: Path,
    deadline: float,
) -> cache.CachedFolder:
    """What the lock names and what comes from git, installed and compiled once for all wheels that
    need the same."""
    site = folder / "dependencies"
    uv.make_writable(config, folder, site)
    if pins:
        with (folder / "pinned.txt").open("x", encoding="ascii") as file:  # never through a link
            file.write(render(pins))
        pinned = ("--require-hashes", "-r", "pinned.txt")
        try:
            await _install(config, site, *pinned, folder=folder, deadline=deadline)
        except VenvError as error:
            raise _not_served(error) from error
    built = await builds.wheels()
    if built:
        paths = [str(path.relative_to(folder)) for path in built]
        await _install(config, site, *(f"./{path}" for path in paths), folder=folder,
                       deadline=deadline)  # fmt: skip
    _sanitize(config, site)
    cache.write_new(site / PATH_FILE, f"{ENVIRONMENT}\n")
    complete = await compiled.compile_folder(config, site, deadline)
    packages = len(pins) + len(built)
    return await asyncio.to_thread(
        cache.store, config, site, key, packages=packages, compiled=complete
    )


async def _environment(
    config: Config,
    wheel: Path,
    layer: cache.CachedFolder,
    key: str,
    folder: Path,
    deadline: float,
    scripts: Sequence[str],
) -> cache.CachedFolder:
    """The wheel's own files in a folder of their own; where both have a module, the layer wins."""
    own = folder / "environment"
    uv.make_writable(config, folder, own)
    shutil.copyfile(wheel, folder / wheel.name)
    await _install(config, own, f"./{wheel.name}", folder=folder, deadline=deadline)
    if scripts:
        await asyncio.to_thread(write_wheels, layer.site, scripts, own / FOLDER)
    _sanitize(config, own)
    complete = await compiled.compile_folder(config, own, deadline, beside=layer.site)
    return await asyncio.to_thread(cache.store, config, own, key, packages=1, compiled=complete)


def _not_served(error: VenvError) -> VenvError:
    """The error for a lock that could not be installed: a resolution made it from the same index,
    so the platform is at fault."""
    if error.fault == "platform":
        return error
    message = (
        f"the package index does not serve what the version's lock names: {error.finding.message}"
    )
    return VenvError(finding("run.install_failed", message, where=error.finding.where))


async def _install(
    config: Config, site: Path, *arguments: str, folder: Path, deadline: float
) -> None:
    command = ("install", "--no-deps", "--target", site.name, *arguments)
    await uv.run(config, *command, folder=folder, deadline=deadline)


def _sanitize(config: Config, site: Path) -> None:
    if cache.sanitize(site) > config.build_bytes:
        raise uv.too_large(config)


def _names(git: Sequence[Downloaded]) -> Iterator[str]:
    return (each.source.name for each in git)


def _content(wheel: Path) -> bytes:
    return wheel.read_bytes()


def _key(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
