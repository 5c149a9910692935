"""Which modules of a wheel are imported with another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from envyard.contract.sources import MAX_PARTS, absolute
from envyard.contract.syntax import File

Files = Mapping[str, File]


def own_modules(files: Files, entry: str) -> tuple[set[str], set[str]]:
    """The modules that importing `entry` surely imports, and those that any import reaches."""
    return _closure(files, [entry], certain=True), _closure(files, [entry], certain=False)


def reached(files: Files, module: str) -> set[str]:
    """The modules that any import of `module` and of the packages around it reaches."""
    return _closure(files, [*_around(module)], certain=False)


def _closure(files: Files, waiting: list[str], *, certain: bool) -> set[str]:
    modules: set[str] = set()
    named = set(waiting)
    while waiting:
        module = waiting.pop()
        if module not in files:
            continue
        modules.add(module)
        file = files[module]
        for node in file.tree.body if certain else file.nodes:
            for name in _targets(node, module, file.is_package):
                for target in _around(name):
                    if target in named:
                        break  # and so are the packages around it
                    named.add(target)
                    waiting.append(target)
    return modules


def _targets(node: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    """The modules of an import statement."""
    if isinstance(node, ast.Import):
        yield from (item.name for item in node.names)
    elif isinstance(node, ast.ImportFrom):
        source = absolute(module, is_package, node)
        yield from (source, *(f"{source}.{item.name}" for item in node.names))


def _around(name: str) -> Iterator[str]:
    """The module, and the packages around it from the inner to the outermost one."""
    if name.count(".") >= MAX_PARTS:
        name = ".".join(name.split(".", MAX_PARTS)[:MAX_PARTS])
    while name:
        yield name
        name = name.rpartition(".")[0]
