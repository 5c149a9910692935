"""Tables that a rollout copies one level deep, or not at all, while its tools change their items.

`state["shelves"] = dict(SHELVES)` gives each rollout a table of its own with the items of all
others; `state["depot"] = self.depots[task]` gives all rollouts of a task one depot. Read from the
code alone: the copy and the change are known by the one name that both have.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from envyard.contract.code_checks.changed_items import (
    LAST,
    MAX_DEPTH,
    OWN,
    changed_tables,
    key_of,
    replaced_items,
)
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.needs.code import Code

# Functions that begin a rollout, and keys that all rollouts of a task have.
STARTS = re.compile(r"setup|reset|start|begin|init_state")
OF_TASK = re.compile(r"example_id|task|question|problem|level|\binfo\b")
COPIERS = {"dict", "list", "copy.copy"}


@dataclass(frozen=True, slots=True)
class ShallowCopy:
    """A copied table, where it is copied, and where a function changes one of its items; `is_whole`
    is one that is taken as it is."""

    table: str
    where: str
    changed: str
    is_whole: bool = False


def shallow_copies(codes: Mapping[str, Code]) -> Iterator[ShallowCopy]:
    """Each such copy of a module's value, or of an attribute of an object that rollouts share.

    None of a copy whose items are replaced by the rollout's own, or cannot change."""
    functions = Definitions(codes).with_nested
    changed: dict[str, str] = {}
    for definition in functions:
        for name, node in changed_tables(definition):
            changed.setdefault(name, definition.code.where(node))
    for definition in functions:
        replaced = {name for name, place in replaced_items(definition) if place != LAST}
        for name, table, node in _copies(definition):
            if name in changed and name not in replaced:
                yield ShallowCopy(table, definition.code.where(node), changed[name])
        for name, table, node in _taken(definition):
            if name in changed and name not in replaced:
                yield ShallowCopy(table, definition.code.where(node), changed[name], True)


def _copies(definition: Definition) -> Iterator[tuple[str, str, ast.AST]]:
    """The name under which a rollout keeps a shallow copy, what is copied, and the statement."""
    for node in definition.nodes:
        if isinstance(node, ast.Assign) and (source := _copied(definition, node.value)) is not None:
            for target in node.targets:
                name = key_of(target)
                # What an object copies of itself may be its own.
                is_own = name.startswith(OWN) and key_of(source).startswith(OWN)
                if name and not is_own and _is_shared(definition, source):
                    yield name, ast.unparse(source)[:80], node


def _taken(definition: Definition) -> Iterator[tuple[str, str, ast.AST]]:
    """The name under which a rollout keeps its task's entry of a shared table, the entry, and the
    statement; none of a table that the function fills for each rollout."""
    if not STARTS.search(definition.node.name):
        return
    texts = {
        target.id: ast.unparse(node.value)
        for node in definition.nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    within = {
        id(each) for node in definition.nodes if isinstance(node, ast.If) for each in node.body
    }
    filled = {
        ast.unparse(target)
        for node in definition.nodes
        if isinstance(node, ast.Assign) and id(node) not in within
        for target in node.targets
    }
    for node in definition.nodes:
        value = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(value, ast.Subscript):
            continue
        key = texts.get(ast.unparse(value.slice), ast.unparse(value.slice))
        entry = ast.unparse(value)
        if OF_TASK.search(key) and entry not in filled and _is_shared(definition, value):
            yield from (
                (name, entry[:80], node) for name in filter(None, map(key_of, node.targets))
            )


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
    """Whether it is a value of a module whose items can change, or a part of an attribute of
    `self`; not what comes from the rollout's own state."""
    root = source
    for _ in range(MAX_DEPTH):
        if isinstance(root, ast.Subscript):
            root = root.value
    match root:
        case ast.Name(id=name):
            values = definition.code.assigned.get(name, ())
            is_fixed = root is source and values and all(map(_has_fixed_items, values))
            return name not in definition.local_names and not is_fixed
        case ast.Attribute(value=ast.Name(id="self")):
            return True
    return False


def _has_fixed_items(value: ast.expr) -> bool:
    """Whether this is a table as it is written, of items that cannot change or of none."""
    match value:
        case ast.Dict(values=items) | ast.List(elts=items) | ast.Tuple(elts=items):
            return all(map(_is_fixed, items))
    return isinstance(value, ast.Constant)


def _is_fixed(item: ast.expr) -> bool:
    if isinstance(item, ast.Tuple):
        return all(isinstance(each, ast.Constant) for each in item.elts)
    return isinstance(item, ast.Constant | ast.JoinedStr)
