"""The names of a data set hub: kinds, repositories, revisions, paths and hashes."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["dataset", "model"]
KINDS: tuple[Kind, ...] = ("dataset", "model")

PART = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
NAME = rf"{PART}(?:/{PART})?"
COMMIT = re.compile(r"[0-9a-f]{40}")
OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
SHA256 = re.compile(r"[0-9a-f]{64}")
REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,120}")
MAX_PATH = 1000


def is_path(path: str) -> bool:
    """Whether `path` is a relative path of plain parts: no `.`, `..`, backslash or control."""
    return (
        0 < len(path) <= MAX_PATH
        and "\\" not in path
        and path.isprintable()
        and all(part not in ("", ".", "..") for part in path.split("/"))
    )


def is_revision(revision: str) -> bool:
    """Whether `revision` can be a branch, a tag or a commit."""
    return REVISION.fullmatch(revision) is not None and not re.search(r"\.\.|//", revision)


def is_name(name: str) -> bool:
    """Whether `name` can be OWNER/NAME or, as of old data sets, NAME alone; cache folders have
    `--` in place of the slash."""
    return re.fullmatch(NAME, name) is not None and ".." not in name and "--" not in name
