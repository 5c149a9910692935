"""The lock of a version: resolved by its first run on a platform, kept by the hub from then on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envyard.contract import wheel as wheels
from envyard.contract.findings import finding
from envyard.contract.frameworks.adapter import override_lines
from envyard.contract.frameworks.commits import advice
from envyard.contract.inline_scripts import inline_scripts
from envyard.contract.lock import BadLock, Pin, parse
from envyard.contract.metadata import is_plain
from envyard_runner.config import Config
from envyard_runner.sandbox.command import Base
from envyard_runner.venvs import uv
from envyard_runner.venvs.git_builds import GitBuilds
from envyard_runner.venvs.uv import VenvError

# What the hub has for that platform; the text, where it had none, is what it has from now on.
AgreeLock = Callable[[str, str | None], Awaitable[str | None]]
OVERRIDES = "overrides.txt"


async def lock(
    config: Config,
    base: Base,
    requirements: Sequence[str],
    *,
    added: Sequence[str],
    optional: Sequence[str] = (),
    left_out: Sequence[str] = (),
    preferred: Sequence[str] = (),
    git: GitRequirements | None = None,
    agree: AgreeLock,
    before: str,
    folder: Path,
    deadline: float,
) -> tuple[Pin, ...]:
    """The exact distributions for `requirements`, of what was on the index `before` that time.

    `added` are those of them that the runner itself adds. `optional` ones are locked too where all
    can be resolved together, `left_out` ones never; `preferred` pins count where nothing requires
    another release. What comes from `git` is resolved with the others and is no part of the lock.
    Where another runner was faster its lock counts. Raises VenvError.
    """
    text = await agree(base.platform, None)
    if text is None:
        resolved, overrides = None, _overrides(config, folder, left_out)
        options = overrides
        if git is not None:
            requirements = [*requirements, *await git.builds.lines(git.requirements)]
            names = sorted(git.builds.names)
            options = (*overrides, *(f"--no-emit-package={name}" for name in names))
        resolve = partial(
            _resolve, config, before=before, folder=folder, deadline=deadline, preferred=preferred
        )
        if optional:
            with suppress(VenvError):
                resolved = await resolve([*requirements, *optional], *options)
        try:
            if resolved is None:
                resolved = await resolve(requirements, *options)
        except VenvError as error:
            if error.fault == "environment" and added:
                await _require_index(added, partial(resolve, added, *overrides))
            raise
        text = await agree(base.platform, resolved)
    try:
        return parse(text or "")
    except BadLock as error:
        raise VenvError(finding("run.install_failed", f"the lock is no lock: {error}")) from error


def _overrides(config: Config, folder: Path, left_out: Sequence[str]) -> tuple[str, ...]:
    """uv's options that leave these distributions out, whatever requires them."""
    if not left_out:
        return ()
    uv.make_writable(config, folder)
    (folder / OVERRIDES).write_text(override_lines(left_out), encoding="utf-8")
    return ("--overrides", OVERRIDES)


async def _require_index(added: Sequence[str], resolve: Callable[[], Awaitable[str]]) -> None:
    """Raise VenvError, as the platform's fault, where the index has not even what the runner adds:
    it answers for nothing, and shows nothing about the environment's own requirements."""
    try:
        await resolve()
    except VenvError as error:
        message = (
            "the package index does not have what the runner itself adds "
            f"({', '.join(added)}): {error.finding.message}"
        )
        raise VenvError(finding("run.install_failed", message)) from error


async def _resolve(
    config: Config,
    requirements: Sequence[str],
    *options: str,
    before: str,
    folder: Path,
    deadline: float,
    preferred: Sequence[str],
) -> str:
    """The lock's text; uv prefers the pins of an earlier lock where the requirements admit them."""
    uv.make_writable(config, folder)
    (folder / "requirements.in").write_text("\n".join(requirements) + "\n", encoding="utf-8")
    (folder / "lock.txt").write_text("".join(f"{pin}\n" for pin in preferred), encoding="utf-8")
    await uv.run(
        config,
        *("compile", "requirements.in", "--output-file", "lock.txt", *options),
        *("--generate-hashes", "--no-header", "--no-annotate"),
        *(("--exclude-newer", before) if before else ()),
        folder=folder,
        deadline=deadline,
    )
    return (folder / "lock.txt").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class GitRequirements:
    """The requirements of a wheel that come from git repositories, and their wheels."""

    requirements: tuple[Requirement, ...]
    builds: GitBuilds


@dataclass(frozen=True, slots=True)
class WheelRequirements:
    """The requirements in a wheel's METADATA and in its inline scripts, and its Requires-Python;
    those of git repositories apart."""

    lines: tuple[str, ...]
    git: tuple[Requirement, ...]
    scripts: tuple[str, ...]
    requires_python: str


def requirements_of(wheel: Path, git_names: frozenset[str] = frozenset()) -> WheelRequirements:
    """What the wheel needs by name; raises VenvError for what no index can answer, other than
    `git_names`, whose archives the job has.

    The wheel's own name is left out: an index could answer with a stranger's distribution.
    """
    try:
        read = wheels.read(wheel)
        scripts = inline_scripts(wheels.sources(wheel))
    except wheels.Unreadable as error:
        raise VenvError(error.finding) from error
    lines, git = [], []
    for line in read.metadata.requires_dist:
        requirement, written = _parse_requirement(line)
        if requirement.url and canonicalize_name(requirement.name) in git_names:
            git.append(requirement)
            continue
        if requirement.url:
            release = advice(requirement)
            message = f"Requires-Dist: {line} is a direct URL{f': {release}' if release else ''}"
            raise VenvError(finding("metadata.direct_url", message, where=requirement.name))
        if canonicalize_name(requirement.name) != read.name:
            lines.append(written)
    of_scripts = {line for script in scripts for line in script.dependencies}
    return WheelRequirements(
        tuple(lines), tuple(git), tuple(sorted(of_scripts)), read.metadata.requires_python
    )


def check_driven(
    pins: Sequence[Pin], extra: Sequence[str], git_names: frozenset[str] = frozenset()
) -> None:
    """Raise VenvError where a lock from another runner has not what this one's driver needs.

    `git_names` are no part of it: the hub's checks admit their commits by what runners drive.
    """
    pinned = {pin.name: pin.version for pin in pins}
    for needed in map(Requirement, extra):
        if canonicalize_name(needed.name) in git_names:
            continue
        version = pinned.get(canonicalize_name(needed.name))
        if version is None or not needed.specifier.contains(version, prereleases=True):
            message = (
                f"the version's lock has {needed.name} {version or 'not at all'}; this runner "
                f"drives {needed} and no other: let a runner of the hub's version take the run"
            )
            raise VenvError(finding("run.install_failed", message, where=needed.name))


def _parse_requirement(line: str) -> tuple[Requirement, str]:
    """The requirement, and one line with the same meaning for uv."""
    try:
        requirement = Requirement(line)
        if is_plain(requirement):
            return requirement, str(requirement)
    except (ValueError, RecursionError):
        pass
    message = f"Requires-Dist: {line[:200]} cannot be read"
    raise VenvError(finding("metadata.bad_requirement", message))
