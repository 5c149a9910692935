"""The final releases of a framework and the names that each of their modules exports.

`tools/framework_releases.py` writes the data; nothing is imported to make or to read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packaging.version import Version

EXISTS, OPEN = ".", "*"


@dataclass(frozen=True, slots=True)
class Release:
    """One release: its version, when it was uploaded (ISO 8601, UTC), its Requires-Python."""

    version: Version
    uploaded: str
    requires_python: str


@dataclass(frozen=True, slots=True)
class Table:
    """Releases in ascending order; `modules` maps module -> name -> numbers of releases."""

    framework: str
    releases: tuple[Release, ...]
    modules: dict[str, dict[str, frozenset[int]]]

    def with_module(self, module: str) -> frozenset[int]:
        """The releases that have the module."""
        return self.modules.get(module, {}).get(EXISTS, frozenset())

    def with_name(self, module: str, name: str) -> frozenset[int]:
        """The releases where `from module import name` works, as far as it can be known.

        A module whose names cannot all be known counts as having every name; so does any module
        for private names, which the table leaves out.
        """
        if name.startswith("_"):
            return self.with_module(module)
        names = self.modules.get(module, {})
        return (
            names.get(name, frozenset())
            | names.get(OPEN, frozenset())
            | self.with_module(f"{module}.{name}")
        )

    def newest(self, numbers: Iterable[int]) -> Release | None:
        """The newest of those releases."""
        latest = max(numbers, default=None)
        return None if latest is None else self.releases[latest]


@cache
def table(framework: str) -> Table:
    """The committed table of that framework."""
    path = Path(__file__).with_name(f"{framework}.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    modules: dict[str, dict[str, frozenset[int]]] = {}
    for module, groups in data["modules"].items():
        names = modules[module] = {}
        for ranges, exported in groups.items():
            numbers = _numbers(ranges)
            names.update(dict.fromkeys(exported.split(" "), numbers))
    releases = tuple(Release(Version(v), uploaded, py) for v, uploaded, py in data["releases"])
    return Table(data["framework"], releases, modules)


def _numbers(ranges: str) -> frozenset[int]:
    """0, 1, 2, 3, 4 and 6 for `0-4,6`."""
    numbers: set[int] = set()
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return frozenset(numbers)
