"""Modules of its own package that a wheel imports and does not hold, read from its code.

A warning, no error: another distribution may put files into the same package.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from envyard.contract.findings import Finding, finding
from envyard.contract.frameworks.bindings import rebound
from envyard.contract.sources import MAX_PARTS, Sources, absolute, dotted

MAX_FINDINGS = 5  # findings
# What changes where Python looks for the modules of a package.
REDIRECTS = (b"__path__", b"sys.modules", b"meta_path", b"extend_path", b"path_hooks")


def missing_modules(
    members: Mapping[str, bytes], paths: Collection[str], entry: str
) -> Iterator[Finding]:
    """A warning for each module that importing the package `entry` imports whatever happens.

    `members` are the .py members that were read, `paths` all members.
    """
    sources = Sources.of(members)
    files = {name: path for path in paths if (name := dotted(path))}
    is_package = files.get(entry, "").endswith("__init__.py")
    if not is_package or any(word in data for data in sources.values() for word in REDIRECTS):
        return
    imports = _Imports(sources, files, _folders(paths))
    reported: dict[str, str] = {}
    waiting, reached, seen = [entry], {entry}, set[str]()
    while waiting:
        module = waiting.pop()
        for name, line in imports.of(module):
            if name.partition(".")[0] == entry and name not in seen:
                seen.add(name)
                present, absent = imports.split(name)
                waiting += [submodule for submodule in present if submodule not in reached]
                reached.update(present)
                if absent and len(reported) < MAX_FINDINGS:
                    reported.setdefault(absent, f"{files[module]}:{line}")
    for name, where in reported.items():
        message = f"{where} imports {name[:200]!r}, which is not in the wheel"
        yield finding("env.module_missing", message, where=where)


class _Imports:
    """The imports that run whenever a module is imported; files beyond bounds have none."""

    def __init__(
        self, sources: Sources, files: Mapping[str, str], folders: Collection[str]
    ) -> None:
        self._sources, self._files, self._folders = sources, files, folders
        self._names: dict[str, set[str]] = {}

    def of(self, module: str) -> Iterator[tuple[str, int]]:
        """Each module that its outermost statements import, and the line."""
        is_package = self._files[module].endswith("__init__.py")
        for node in self._tree(module).body:
            if isinstance(node, ast.Import):
                yield from ((item.name, node.lineno) for item in node.names)
            elif isinstance(node, ast.ImportFrom):
                source = absolute(module, is_package, node)
                yield source, node.lineno
                names = {item.name for item in node.names} - self._own_names(source)
                inner = (f"{source}.{name}" for name in sorted(names))
                yield from ((name, node.lineno) for name in inner if name in self._files)

    def split(self, name: str) -> tuple[list[str], str]:
        """The modules on the way to that one which the wheel holds, and the first that it lacks."""
        parts = name.split(".", MAX_PARTS)
        present = []
        for end in range(1, len(parts) + 1):
            prefix = ".".join(parts[:end])
            if prefix in self._files:
                present.append(prefix)
            elif prefix not in self._folders:
                return present, prefix
        return present, ""

    def _own_names(self, module: str) -> set[str]:
        if module not in self._names:
            self._names[module] = rebound(self._tree(module)) if module in self._files else set()
        return self._names[module]

    def _tree(self, module: str) -> ast.Module:
        file = self._sources.files.get(module)
        return file.tree if file else ast.Module([], [])


def _folders(paths: Collection[str]) -> set[str]:
    """Each folder as the name of a module: without a file of its own it is a namespace."""
    return {
        path[:at].replace("/", ".")
        for path in paths
        for at, letter in enumerate(path)
        if letter == "/"
    }
