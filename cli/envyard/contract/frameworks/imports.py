"""Which modules of a wheel are imported with another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

Trees = Mapping[str, tuple[str, ast.Module]]


def absolute(module: str, is_package: bool, node: ast.ImportFrom) -> str:
    """The module that a `from ... import` names, seen from `module`."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    kept = parts[: len(parts) - node.level + (1 if is_package else 0)]
    return ".".join([*kept, *([node.module] if node.module else [])])


def own_modules(trees: Trees, entry: str) -> tuple[set[str], set[str]]:
    """The modules that importing `entry` surely imports, and those that any import reaches."""
    return _closure(trees, entry, certain=True), _closure(trees, entry, certain=False)


def _closure(trees: Trees, entry: str, *, certain: bool) -> set[str]:
    seen: set[str] = set()
    waiting = [entry]
    while waiting:
        module = waiting.pop()
        if module in seen or module not in trees:
            continue
        seen.add(module)
        path, tree = trees[module]
        nodes = tree.body if certain else ast.walk(tree)
        for node in nodes:
            waiting.extend(_targets(node, module, path.endswith("__init__.py")))
    return seen


def _targets(node: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    """The modules of an import statement with the packages around them."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [item.name for item in node.names]
    elif isinstance(node, ast.ImportFrom):
        source = absolute(module, is_package, node)
        names = [source, *(f"{source}.{item.name}" for item in node.names)]
    for name in names:
        parts = name.split(".")
        yield from (".".join(parts[: end + 1]) for end in range(len(parts)))
