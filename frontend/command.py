"""The `hub` and `hub-runner` commands as wheels, packed from the very code that lies here.

The `hub` wheel holds the public address of the hub that serves it, as its default hub.

The same code gives the same bytes on every machine, so replicas agree on its sha256: entries are
sorted, undated and stored as they are.
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

COMMAND, RUNNER = "envyard", "envyard_runner"  # no index has them: the runner needs both


@dataclass(frozen=True, slots=True)
class Packed:
    """A wheel and its names."""

    filename: str
    sha256: str
    data: bytes


def packed(package: str = COMMAND) -> Packed:
    """The wheel of that package, as it belongs to this hub and its public address of now."""
    return pack(package, settings.HUB_URL if package == COMMAND else "")


@cache
def pack(package: str, hub_url: str) -> Packed:
    """The wheel of that package, with `hub_url` as its default hub where there is one."""
    known = metadata.distribution(package)
    info = f"{package}-{known.version}.dist-info"
    files = dict(_sources(package))
    if hub_url:
        files[f"{package}/{INSTALLED_HUB}"] = f"{hub_url}\n".encode()
    files = dict(sorted(files.items()))
    for name in ("METADATA", "WHEEL", "entry_points.txt"):
        files[f"{info}/{name}"] = (known.read_text(name) or "").encode()
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    data = _zip(files)
    filename = f"{package}-{known.version}-py3-none-any.whl"
    return Packed(filename, hashlib.sha256(data).hexdigest(), data)


def _sources(package: str) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each file of the package; the templates of `hub init` are behind a link."""
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
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980, the first year that a ZIP knows
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return made.getvalue()
