"""Compare a kept venv with the hashes taken when it was built, and remove it where they differ.

After a power failure, or on a bad disk, files of a kept venv can be empty or changed. A run with
such a venv fails like one whose environment is wrong, so nothing is blamed before this comparison.
"""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

from envyard.contract.values import record
from envyard_runner.config import Config
from envyard_runner.venvs import cache, disk_space
from envyard_runner.venvs.build import Venv

SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def discard_damaged(config: Config, venv: Venv) -> str:
    """Remove the venv's damaged folders, and the downloads that the next build would link to; a
    sentence that names the first damage, empty where there is none.

    Raises OSError where the machine lacks the resources to find out.
    """
    message = ""
    for site in (venv.dependencies, venv.environment):
        folder = site.parent
        if folder.parent != config.venvs:
            continue  # not one of this runner's kept folders
        if not folder.exists():
            message = message or "it was removed while this run used it"
        elif difference := _difference(folder, site):
            message = message or difference
            cache.discard(config, folder)
    if message:
        disk_space.discard_downloads(config)
    return message


def _difference(folder: Path, site: Path) -> str:
    try:
        expected = record(json.loads((folder / cache.HASHES).read_text(encoding="ascii")))
    except ValueError:
        expected = {}
    except OSError as error:
        _raise_shortage(error)
        expected = {}
    if not expected:
        return "the list of its files is missing or damaged"
    try:
        present = cache.hashes(site)
    except OSError as error:
        _raise_shortage(error)
        return f"{error.filename} cannot be read: {error.strerror}"
    for name in sorted({*expected, *present}):
        if present.get(name) != expected.get(name):
            return f"{_path(name)} {_how(name, expected, present)}"
    return ""


def _raise_shortage(error: OSError) -> None:
    """Raise it where the machine lacks something else than the file: that is no damage."""
    if error.errno in SHORTAGES:
        raise error


def _how(name: str, expected: dict[str, object], present: dict[str, str]) -> str:
    if name not in present:
        return "is missing"
    return "has changed" if name in expected else "was not installed"


def _path(name: str) -> str:
    return os.fsdecode(bytes.fromhex(name)).encode("utf-8", "replace").decode()
