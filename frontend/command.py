"""The `hub` and `hub-runner` commands as wheels, packed from the installed code.

The `hub` wheel contains the public address of this hub as its default hub.

The same code produces the same bytes on every machine, so replicas agree on the sha256: entries
are sorted, have a fixed date and are not compressed.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from django.conf import settings

from envyard.contract.names import INSTALLED_HUB

COMMAND, RUNNER = "envyard", "envyard_runner"  # neither is on an index, and the runner needs both


@dataclass(frozen=True, slots=True)
class Packed:
    """A wheel with its file name and hash."""

    filename: str
    sha256: str
    data: bytes


def packed(package: str = COMMAND) -> Packed:
    """The wheel of that package for this hub and its current public address."""
    return pack(package, settings.HUB_URL if package == COMMAND else "")


@cache
def pack(package: str, hub_url: str) -> Packed:
    """The wheel of that package, with `hub_url` as its default hub unless it is empty."""
    distribution = metadata.distribution(package)
    info = f"{package}-{distribution.version}.dist-info"
    files = dict(_sources(package))
    if hub_url:
        files[f"{package}/{INSTALLED_HUB}"] = f"{hub_url}\n".encode()
    files = dict(sorted(files.items()))
    for name in ("METADATA", "WHEEL", "entry_points.txt"):
        files[f"{info}/{name}"] = (distribution.read_text(name) or "").encode()
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    data = _zip(files)
    filename = f"{package}-{distribution.version}-py3-none-any.whl"
    return Packed(filename, hashlib.sha256(data).hexdigest(), data)


def _sources(package: str) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each file of the package; the templates of `hub init` are a symlink."""
    spec = find_spec(package)
    for root in spec.submodule_search_locations or () if spec else ():
        for folder, folders, names in os.walk(root, followlinks=True):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in names:
                path = Path(folder, name)
                yield f"{package}/{path.relative_to(root).as_posix()}", path.read_bytes()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _zip(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # dated 1980, the first year of the format
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return buffer.getvalue()
