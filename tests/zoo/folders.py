"""Environments by others as entries: a folder of folders, each with a pyproject.toml.

A key names what is planted where: `{"NAME": {"kind": "flawed", "flaw": "..."}}`. Without one every
environment is taken for sound. No finding is named beforehand: whether one names the flaw is for a
reader to decide.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.zoo.entry import Entry

ROLLOUT_SECONDS = 60.0  # by others, who were not given a limit


def entries_of(folder: Path, key: Path | None) -> list[Entry]:
    """The environments of a folder, by name."""
    planted: dict[str, dict[str, Any]] = json.loads(key.read_text()) if key else {}
    return [
        _entry(path.parent, planted.get(path.parent.name, {}))
        for path in sorted(folder.glob("*/pyproject.toml"))
    ]


def _entry(folder: Path, planted: dict[str, Any]) -> Entry:
    flawed = planted.get("kind") == "flawed"
    return Entry(
        name=folder.name,
        api="v0" if planted.get("api") == "v0" else "v1",
        title=planted.get("flaw") or "sound",
        module="",
        expected="warned" if flawed else "sound",
        rollout_seconds=ROLLOUT_SECONDS,
        folder=folder,
    )
