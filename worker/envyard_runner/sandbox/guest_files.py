"""The files of the guest programs, whose content sandboxes get: the installed ones may lie below a
home that is closed to other users."""

from __future__ import annotations

from pathlib import Path

GUEST = Path(__file__).parents[1] / "guest"


def guest_files(*names: str) -> dict[str, bytes]:
    """The guest programs of these names, by name."""
    return {name: (GUEST / name).read_bytes() for name in names}
