"""Which modules of a wheel are imported with another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from envyard.contract.sources import MAX_PARTS, absolute

Trees = Mapping[str, tuple[str, ast.Module]]


def own_modules(trees: Trees, entry: str) -> tuple[set[str], set[str]]:
    """The modules that importing `entry` surely imports, and those that any import reaches."""
    return _closure(trees, entry, certain=True), _closure(trees, entry, certain=False)


def _closure(trees: Trees, entry: str, *, certain: bool) -> set[str]:
    reached: set[str] = set()
    waiting = [entry]
    while waiting:
        module = waiting.pop()
        if module in reached or module not in trees:
            continue
        reached.add(module)
        path, tree = trees[module]
        nodes = tree.body if certain else ast.walk(tree)
        for node in nodes:
            waiting.extend(_targets(node, module, path.endswith("__init__.py")))
    return reached


def _targets(node: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    """The modules of an import statement with the packages around them."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [item.name for item in node.names]
    elif isinstance(node, ast.ImportFrom):
        source = absolute(module, is_package, node)
        names = [source, *(f"{source}.{item.name}" for item in node.names)]
    for name in names:
        parts = name.split(".", MAX_PARTS)[:MAX_PARTS]
        yield from (".".join(parts[: end + 1]) for end in range(len(parts)))
