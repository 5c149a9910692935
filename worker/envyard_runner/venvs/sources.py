"""The unpacked source of a git dependency, and what its pyproject.toml names to build it."""

from __future__ import annotations

import re
import tarfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from envyard.contract import toml_text
from envyard.contract.findings import finding
from envyard.contract.job import GitArchive
from envyard.contract.metadata import is_plain
from envyard_runner.venvs.uv import VenvError

MAX_MEMBERS = 25_000
PYPROJECT_BYTES = 1 << 20
LEGACY_BACKEND = "setuptools.build_meta:__legacy__"
LEGACY_REQUIRES = ("setuptools>=40.8.0",)
BACKEND = re.compile(r"[A-Za-z_][\w.]{0,200}(?::[A-Za-z_][\w.]{0,200})?", re.ASCII)
MAX_REQUIRES = 50
MAX_TEXT = 1000  # characters of a text in [build-system]; a program's argument has 128 KiB


@dataclass(frozen=True, slots=True)
class BuildSystem:
    """The `[build-system]` of a project: requirements, backend, and folders of an own backend."""

    requires: tuple[str, ...]
    backend: str
    paths: tuple[str, ...]


def build_failed(source: GitArchive, reason: str) -> VenvError:
    """The author's error: this dependency cannot be built."""
    message = f"{source.name} from {source.repository} at {source.commit[:12]}: {reason}"
    return VenvError(finding("git.build_failed", message, where=source.name))


def unpack(source: GitArchive, archive: Path, target: Path, max_bytes: int) -> None:
    """Write the archive's files and links into `target` without its top folder; raises VenvError.

    Links are made last, so that no file is written through one.
    """
    links: list[tuple[Path, str]] = []
    total = 0
    target.mkdir(mode=0o755)
    try:
        with tarfile.open(archive, "r:gz") as members:
            for number, member in enumerate(members, 1):
                total += member.size
                if number > MAX_MEMBERS or total > max_bytes:
                    raise build_failed(source, "its archive is larger than this runner allows")
                parts = member.name.split("/")[1:]
                if not parts or any(part in ("", ".", "..") for part in parts):
                    raise build_failed(source, f"its archive has the path {member.name[:100]!r}")
                path = target.joinpath(*parts)
                path.parent.mkdir(parents=True, exist_ok=True)
                content = members.extractfile(member) if member.isreg() else None
                if content is not None:
                    with path.open("xb") as file:
                        file.write(content.read())
                    path.chmod(0o755 if member.mode & 0o100 else 0o644)
                elif member.issym():
                    links.append((path, member.linkname))
    except (tarfile.TarError, zlib.error, EOFError) as error:
        raise build_failed(source, f"its archive cannot be read: {error}") from error
    for path, to in links:
        path.symlink_to(to)
    for folder in (target, *target.rglob("*")):
        if folder.is_dir() and not folder.is_symlink():
            folder.chmod(0o755)


def build_system(source: GitArchive, folder: Path) -> BuildSystem:
    """Read pyproject.toml in the folder that is built; raises VenvError.

    Without one setuptools builds it, as with pip and uv (PEP 517).
    """
    path = folder / source.subdirectory / "pyproject.toml"
    table: Any = {}
    if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
        try:
            with path.open("rb") as file:
                table = toml_text.loads(file.read(PYPROJECT_BYTES).decode()).get("build-system", {})
        except (ValueError, RecursionError) as error:
            raise build_failed(source, f"its pyproject.toml cannot be read: {error}") from error
    if not isinstance(table, dict):
        raise build_failed(source, "its [build-system] is no table")
    backend = table.get("build-backend", LEGACY_BACKEND)
    requires = texts(table.get("requires", LEGACY_REQUIRES))
    paths = texts(table.get("backend-path", ()))
    if not isinstance(backend, str) or not BACKEND.fullmatch(backend) or None in (requires, paths):
        raise build_failed(source, "its [build-system] cannot be read")
    return BuildSystem(plain_requirements(source, requires or ()), backend, paths or ())


def plain_requirements(source: GitArchive, lines: Iterable[str]) -> tuple[str, ...]:
    """The requirements, one line each, for uv; raises VenvError for a URL and for what uv could
    read in another way."""
    plain = []
    for line in lines:
        try:
            requirement = Requirement(line)
        except (ValueError, RecursionError):
            raise build_failed(source, f"{line[:100]!r} is no requirement") from None
        if requirement.url or not is_plain(requirement):
            raise build_failed(source, f"it needs {line[:100]!r}, and an index has no such thing")
        plain.append(str(requirement))
    return tuple(plain)


def texts(value: Any) -> tuple[str, ...] | None:
    """The value as texts of one line each, not many and not long; None for any other."""
    if not isinstance(value, list | tuple) or len(value) > MAX_REQUIRES:
        return None
    for item in value:
        if not isinstance(item, str) or len(item) > MAX_TEXT or not item.isprintable():
            return None
    return tuple(value)
