"""A version's lock: exact distributions with the sha256 of their files, as pip and uv read them.

Hub, runner and command parse a lock and render it again, so no option, address, path or marker
passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

MAX_CHARACTERS = 2 << 20  # of a framework with a hundred distributions it is a tenth of that
PLATFORM = r"^[a-z0-9][a-z0-9._-]{0,79}$"  # such as cpython-311-x86_64-linux-gnu-2.36
LINE = re.compile(
    r"([a-z0-9]+(?:-[a-z0-9]+)*)==([0-9A-Za-z.!+]{1,100})((?: +--hash=sha256:[0-9a-f]{64})+) *"
)


class BadLock(ValueError):
    """The text is no lock; the message names the line."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One distribution: normalised name, exact version, the sha256 of each of its files."""

    name: str
    version: str
    hashes: tuple[str, ...]


def parse(text: str) -> tuple[Pin, ...]:
    """Read an untrusted lock, in the order of the names; raises BadLock."""
    if len(text) > MAX_CHARACTERS:
        raise BadLock(f"a lock has at most {MAX_CHARACTERS} characters, not {len(text)}")
    pins = [_pin(line) for line in text.replace("\\\n", "").split("\n") if line.strip(" ")]
    if len({pin.name for pin in pins}) != len(pins):
        raise BadLock("a lock names each distribution once")
    return tuple(sorted(pins, key=lambda pin: pin.name))


def render(pins: Iterable[Pin]) -> str:
    """The requirements file of the pins; equal pins give equal text."""
    return "".join(
        " \\\n    ".join(
            [f"{pin.name}=={pin.version}", *(f"--hash=sha256:{h}" for h in pin.hashes)]
        )
        + "\n"
        for pin in pins
    )


def _pin(line: str) -> Pin:
    match = LINE.fullmatch(line)
    if match is None:
        raise BadLock(f"{line[:200]!r} is not name==version --hash=sha256:...")
    name, version, hashes = match.groups()
    try:
        Version(version)
    except InvalidVersion as error:
        raise BadLock(f"{name}=={version} is no version") from error
    return Pin(name, version, tuple(sorted({h.split(":")[1] for h in hashes.split()})))
