"""A sort key that gives text columns the order of PEP 440, on any database."""

from __future__ import annotations

from packaging.version import Version

FINAL = "4"
PRE = {"a": "1", "b": "2", "rc": "3"}
DEVELOPMENT_ONLY = "0"


def sort_key(version: str) -> str:
    """A text that sorts like the PEP 440 version; equal for `1.0` and `1.0.0`.

    Digits only, because collations agree on nothing else. At most 400 characters for a version
    of up to 80 without a local part, which is ignored. Raises InvalidVersion.
    """
    parsed = Version(version)
    release = list(parsed.release)
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    if parsed.pre is not None:
        stage = PRE[parsed.pre[0]] + _number(parsed.pre[1])
    elif parsed.post is None and parsed.dev is not None:
        stage = DEVELOPMENT_ONLY
    else:
        stage = FINAL
    post = "0" if parsed.post is None else "1" + _number(parsed.post)
    dev = "1" if parsed.dev is None else "0" + _number(parsed.dev)
    parts = "".join("1" + _number(part) for part in release)
    return f"{_number(parsed.epoch)}{parts}0{stage}{post}{dev}"


def _number(value: int) -> str:
    """Its digits after their count, so that 10 comes after 9."""
    digits = str(value)
    return f"{len(digits):02}{digits}"
