"""Writes the tables of the names that each release of a framework exports, for all adapters.

Run `python -m tools.framework_releases` after a framework publishes a release, and commit the
JSON files that it writes below cli/envyard/contract/frameworks/. Wheels are read, never imported.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import urllib.request
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from packaging.utils import parse_wheel_filename
from packaging.version import Version

from envyard.contract.frameworks.adapters import FRAMEWORKS
from tools.bootstrap import index_url

FOLDER = Path(__file__).resolve().parents[1] / "cli/envyard/contract/frameworks"
SECONDS = 60
# verifiers 0.3.1 serves the modules of its package `legacy` under its own name as well.
ALIASED = {"verifiers": "legacy"}
NOT_ALIASED = ("legacy", "v1", "cli")
EXISTS, OPEN = ".", "*"  # an existing module; one whose names cannot all be determined


@dataclass(slots=True)
class Names:
    """What one module binds at its top level; `stars` are the modules it imports `*` from."""

    bound: set[str] = field(default_factory=set)
    exported: set[str] | None = None
    stars: list[str] = field(default_factory=list)
    lazy: bool = False


def main() -> None:
    """Write the table of every framework that has an adapter."""
    for framework in FRAMEWORKS:
        write_table(framework)


def write_table(framework: str) -> None:
    """Download every final release of the framework and write its table."""
    files = sorted(_final_releases(framework), key=lambda file: _version(file["filename"]))
    releases, exports = [], []
    for file in files:
        version = str(_version(file["filename"]))
        releases.append(
            [version, file["upload-time"][:19] + "Z", file.get("requires-python") or ""]
        )
        exports.append(exports_of(framework, _sources(framework, _fetch(file["url"]))))
        sys.stderr.write(f"{framework} {version}: {len(exports[-1])} modules\n")
    table = {
        "framework": framework,
        "made": datetime.now(tz=UTC).strftime("%Y-%m-%d"),
        "releases": releases,
        "modules": compact(exports),
    }
    path = FOLDER / f"{framework}.json"
    path.write_text(json.dumps(table, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    sys.stderr.write(f"{path}: {path.stat().st_size} bytes\n")


def exports_of(framework: str, sources: Mapping[str, str]) -> dict[str, set[str]]:
    """The importable names of every module, given the sources by their path in the wheel."""
    modules = {}
    for path, source in sources.items():
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        modules[name] = read(name, path.endswith("/__init__.py"), source)
    exports = {name: {EXISTS, *_visible(name, modules, frozenset())} for name in modules}
    for name in modules:  # folders without an __init__.py
        for parent in _parents(name):
            exports.setdefault(parent, {EXISTS})
    aliased = f"{framework}.{ALIASED.get(framework)}"
    if aliased in modules:
        _add_aliases(exports, framework, aliased)
    return {name: {n for n in names if not n.startswith("_")} for name, names in exports.items()}


def read(name: str, is_package: bool, source: str) -> Names:
    """Index the top level of one module."""
    names = Names()
    for node in _statements(ast.parse(source).body):
        _index(names, name, is_package, node)
    return names


def compact(exports: list[dict[str, set[str]]]) -> dict[str, dict[str, str]]:
    """Per module the names that the same releases have, under the ranges of their numbers."""
    result = {}
    for module in sorted({name for release in exports for name in release}):
        numbers_of: dict[str, list[int]] = defaultdict(list)
        for number, release in enumerate(exports):
            for name in release.get(module, ()):
                numbers_of[name].append(number)
        groups = defaultdict(list)
        for name, numbers in numbers_of.items():
            groups[_ranges(numbers)].append(name)
        result[module] = {key: " ".join(sorted(names)) for key, names in sorted(groups.items())}
    return result


def _parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts)))


def _ranges(numbers: Iterable[int]) -> str:
    """`0-4,6` for 0, 1, 2, 3, 4 and 6."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in ranges)


def _visible(name: str, modules: Mapping[str, Names], visited: frozenset[str]) -> set[str]:
    """A module's names, with those that `import *` brings in."""
    module = modules[name]
    names = set(module.bound) | (module.exported or set())
    for star in module.stars:
        if star not in modules:
            names |= {OPEN} if star.partition(".")[0] != name.partition(".")[0] else set()
        elif star not in visited:
            exported = modules[star].exported
            inner = _visible(star, modules, visited | {name})
            names |= inner if exported is None else exported | (inner & {OPEN})
    return names


def _add_aliases(exports: dict[str, set[str]], framework: str, aliased: str) -> None:
    """What an import finder and the root's `__getattr__` serve under the framework's own name."""
    exports[framework] |= exports[aliased]
    for name in list(exports):
        inner = name.removeprefix(f"{aliased}.")
        if inner != name and inner.partition(".")[0] not in NOT_ALIASED:
            exports[f"{framework}.{inner}"] = exports[name]


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Top-level statements with those in branches, but not those under TYPE_CHECKING."""
    for node in body:
        if isinstance(node, ast.If):
            checking = "TYPE_CHECKING" in ast.dump(node.test)
            yield from _statements([*([] if checking else node.body), *node.orelse])
        elif isinstance(node, ast.Try):
            handlers = [inner for handler in node.handlers for inner in handler.body]
            yield from _statements([*node.body, *node.orelse, *node.finalbody, *handlers])
        elif isinstance(node, ast.With | ast.For | ast.While):
            yield from _statements(node.body)
        else:
            yield node


def _index(names: Names, module: str, is_package: bool, node: ast.stmt) -> None:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        names.lazy = names.lazy or node.name == "__getattr__"
        names.bound.add(node.name)
    elif isinstance(node, ast.Import):
        names.bound.update(item.asname or item.name.partition(".")[0] for item in node.names)
    elif isinstance(node, ast.ImportFrom):
        if any(item.name == "*" for item in node.names):
            names.stars.append(_absolute(module, is_package, node))
        else:
            names.bound.update(item.asname or item.name for item in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        _assigned(names, node)


def _assigned(names: Names, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    bound = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    names.bound |= bound
    if "__all__" in bound and node.value is not None:
        texts = (n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant))
        names.exported = (names.exported or set()) | {t for t in texts if isinstance(t, str)}
    if isinstance(node.value, ast.Dict) and any("lazy" in name.lower() for name in bound):
        keys = (key.value for key in node.value.keys if isinstance(key, ast.Constant))
        names.bound |= {key for key in keys if isinstance(key, str)}


def _absolute(module: str, is_package: bool, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    base = parts[: len(parts) - node.level + (1 if is_package else 0)]
    return ".".join([*base, *([node.module] if node.module else [])])


def _final_releases(framework: str) -> list[dict[str, str]]:
    """The index's wheels of final and post releases that were not yanked."""
    page = json.loads(_fetch(f"{index_url()}/{framework}/", "application/vnd.pypi.simple.v1+json"))
    wheels = [f for f in page["files"] if f["filename"].endswith(".whl") and not f.get("yanked")]
    return [file for file in wheels if not _version(file["filename"]).is_prerelease]


def _version(filename: str) -> Version:
    return parse_wheel_filename(filename)[1]


def _sources(framework: str, wheel: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        module_path = re.compile(rf"{framework}/(\w+/)*\w+\.py")
        names = [name for name in archive.namelist() if module_path.fullmatch(name)]
        return {name: archive.read(name).decode() for name in names}


def _fetch(url: str, accept: str = "*/*") -> bytes:
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        content: bytes = answer.read()
        return content


if __name__ == "__main__":
    main()
