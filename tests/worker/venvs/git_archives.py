"""Archives of git repositories as a hub makes them, with a build backend of their own."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

from envyard.contract.job import GitArchive, WheelRef
from envyard_runner.venvs.git_builds import Downloaded

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "https://git.example/lab/tool"
PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
# Packs the folder `tool` beside it into a wheel.
BACKEND = """\
import pathlib, zipfile

NAME, VERSION, REQUIRES = "tool", "1.0", []

def get_requires_for_build_wheel(config_settings=None):
    return []

def build_wheel(folder, config_settings=None, metadata_directory=None):
    info = f"{NAME}-{VERSION}.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {VERSION}"]
    lines += [f"Requires-Dist: {line}" for line in REQUIRES]
    files = {str(path): path.read_bytes() for path in sorted(pathlib.Path("tool").rglob("*.py"))}
    files[f"{info}/METADATA"] = ("\\n".join(lines) + "\\n").encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    record = "".join(f"{path},,\\n" for path in [*files, f"{info}/RECORD"])
    files[f"{info}/RECORD"] = record.encode()
    name = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return name
"""


def project(**changes: str) -> dict[str, str]:
    """The files of a project; `changes` are texts for `backend.py`, appended."""
    return {
        "pyproject.toml": PYPROJECT,
        "backend.py": BACKEND + changes.get("backend", ""),
        "tool/__init__.py": "WORD = 'from git'\n",
    }


def downloaded(
    folder: Path,
    files: Mapping[str, str],
    *,
    name: str = "tool",
    subdirectory: str = "",
    links: Mapping[str, str] | None = None,
) -> Downloaded:
    """The archive of these files in `folder`, as a job's download leaves it."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(f"tool-0123456789ab/{path}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
        for path, to in (links or {}).items():
            member = tarfile.TarInfo(f"tool-0123456789ab/{path}")
            member.type, member.linkname = tarfile.SYMTYPE, to
            archive.addfile(member)
    data = content.getvalue()
    sha256 = hashlib.sha256(data).hexdigest()
    path = folder / f"{sha256}.tar.gz"
    path.write_bytes(data)
    reference = WheelRef("", "tool-0123456789ab.tar.gz", sha256, len(data))
    return Downloaded(GitArchive(name, REPOSITORY, COMMIT, subdirectory, reference), path)
