"""Tables that a rollout copies one level deep, while its tools change their items.

`state["shelves"] = dict(SHELVES)` gives each rollout a table of its own with the items of all
others. Read from the code alone: the copy and the change are known by the one name that both have.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from envyard.contract.needs.code import Code
from envyard.contract.rollout_functions import Definition, Definitions

MAX_DEPTH = 8  # of subscripts
COPIERS = {"dict", "list", "copy.copy"}
CHANGES = {"append", "appendleft", "add", "extend", "insert", "pop", "popleft", "popitem"}
CHANGES |= {"remove", "discard", "clear", "update", "setdefault", "sort", "reverse"}


@dataclass(frozen=True, slots=True)
class ShallowCopy:
    """A copied table, where it is copied, and where a function changes one of its items."""

    table: str
    where: str
    changed: str


def shallow_copies(codes: Mapping[str, Code]) -> Iterator[ShallowCopy]:
    """Each such copy of a module's value, or of an attribute of an object that rollouts share."""
    functions = Definitions(codes).with_nested
    changed: dict[str, str] = {}
    for definition in functions:
        for name, node in _changes(definition.nodes):
            changed.setdefault(name, definition.code.where(node))
    for definition in functions:
        for name, table, node in _copies(definition):
            if name in changed:
                yield ShallowCopy(table, definition.code.where(node), changed[name])


def _copies(definition: Definition) -> Iterator[tuple[str, str, ast.AST]]:
    """The name under which a rollout keeps a shallow copy, what is copied, and the statement."""
    for node in definition.nodes:
        if isinstance(node, ast.Assign) and (source := _copied(definition, node.value)) is not None:
            for target in node.targets:
                name = _key(target)
                if name and _is_shared(definition, source):
                    yield name, ast.unparse(source)[:80], node


def _copied(definition: Definition, value: ast.expr) -> ast.expr | None:
    """The expression of which this is a copy of one level; None where it is none."""
    match value:
        case ast.Call(func=func, args=[source], keywords=[]):
            return source if definition.code.dotted(func) in COPIERS else None
        case ast.Call(func=ast.Attribute(value=source, attr="copy"), args=[], keywords=[]):
            return source
        case ast.Dict(keys=[None], values=[source]) | ast.List(elts=[ast.Starred(value=source)]):
            return source
        case ast.Subscript(value=source, slice=ast.Slice(lower=None, upper=None)):
            return source
    return None


def _is_shared(definition: Definition, source: ast.expr) -> bool:
    """Whether it is a value of a module, or a part of an attribute of `self`; not what comes from
    the rollout's own state."""
    root = source
    for _ in range(MAX_DEPTH):
        if isinstance(root, ast.Subscript):
            root = root.value
    match root:
        case ast.Name(id=name):
            return name not in definition.local_names
        case ast.Attribute(value=ast.Name(id="self")):
            return True
    return False


def _changes(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    """The names of tables of which these nodes change an item, within it."""
    nodes = list(nodes)
    parts = {
        target.id: key
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript)
        for target in node.targets
        if isinstance(target, ast.Name) and (key := _table(node.value.value))
    }
    for node in nodes:
        for item in _changed_parts(node):
            if isinstance(item, ast.Name) and item.id in parts:
                yield parts[item.id], node
            elif isinstance(item, ast.Subscript) and (name := _table(item.value)):
                yield name, node


def _changed_parts(node: ast.AST) -> Iterator[ast.expr]:
    """The containers that a node changes, such as `table[key]` of `table[key].append(1)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=item, attr=name)) if name in CHANGES:
            yield item
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            yield from (each.value for each in targets if isinstance(each, ast.Subscript))
        case ast.AugAssign(target=ast.Subscript(value=item)):
            yield item


def _table(node: ast.expr) -> str:
    """The name of a table: of a variable, or of what the state keeps."""
    return node.id if isinstance(node, ast.Name) else _key(node)


def _key(target: ast.expr) -> str:
    """`key` of `state["key"]` and of `state.key`; empty for others."""
    match target:
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
        case ast.Attribute(attr=key):
            return key
    return ""
