"""Versions in the order of PEP 440, as text that any database sorts."""

from __future__ import annotations

from packaging.version import Version

FINAL = "4"
PRE = {"a": "1", "b": "2", "rc": "3"}
DEVELOPMENT_ONLY = "0"


def sort_key(version: str) -> str:
    """A text that compares like the PEP 440 version does; equal for `1.0` and `1.0.0`.

    Digits alone, because collations agree on nothing else. At most 400 characters for a version
    of up to 80 without a local part, which is not looked at. Raises InvalidVersion.
    """
    read = Version(version)
    release = list(read.release)
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    if read.pre is not None:
        stage = PRE[read.pre[0]] + _number(read.pre[1])
    elif read.post is None and read.dev is not None:
        stage = DEVELOPMENT_ONLY
    else:
        stage = FINAL
    post = "0" if read.post is None else "1" + _number(read.post)
    dev = "1" if read.dev is None else "0" + _number(read.dev)
    parts = "".join("1" + _number(part) for part in release)
    return f"{_number(read.epoch)}{parts}0{stage}{post}{dev}"


def _number(value: int) -> str:
    """Its digits after their count, so that 10 comes after 9."""
    digits = str(value)
    return f"{len(digits):02}{digits}"
