"""The tables of which a function changes an item, within it: `shelves[key].append(1)`.

Read from the code alone. Items are followed through subscripts, `get`, loops and `next`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.rollout_functions import Definition

MAX_DEPTH = 8  # of subscripts
OWN = "self."  # before the name of an attribute of the object itself
HOLDERS = {"self", "state", "trace"}  # parameters that hold tables and are none
LAST = "-1"  # the place of what is appended
CHANGES = {"append", "appendleft", "add", "extend", "insert", "pop", "popleft", "popitem"}
CHANGES |= {"remove", "discard", "clear", "update", "setdefault", "sort", "reverse"}

Item = tuple[str, str]  # the name of a table, and the place as text, empty where it is not known


def changed_tables(definition: Definition) -> Iterator[tuple[str, ast.AST]]:
    """The names of these tables with the nodes that change them; not of items that the function
    has replaced or added."""
    tables = _tables(definition)
    items = dict(pair for node in definition.nodes for pair in _named_items(node, tables))
    replaced = set(replaced_items(definition))
    for node in definition.nodes:
        for part in _changed_parts(node):
            for item in _items_around(part, items, tables):
                if item not in replaced:
                    yield item[0], node


def replaced_items(definition: Definition) -> Iterator[Item]:
    """The tables that a function gives items of their own, each with the item's place."""
    tables = _tables(definition)
    for node in definition.nodes:
        match node:
            case ast.Assign(targets=targets):
                for each in targets:
                    if isinstance(each, ast.Subscript) and (name := _table(each.value, tables)):
                        yield name, ast.unparse(each.slice)
            case ast.Call(func=ast.Attribute(value=table, attr="append")):
                if name := _table(table, tables):
                    yield name, LAST


def key_of(target: ast.expr) -> str:
    """`key` of `state["key"]` and of `state.key`, `self.key` of an object's own; else empty."""
    match target:
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
        case ast.Attribute(value=ast.Name(id="self"), attr=key):
            return f"{OWN}{key}"
        case ast.Attribute(attr=key):
            return key
    return ""


def _named_items(node: ast.AST, tables: Mapping[str, str]) -> Iterator[tuple[str, Item]]:
    """The variables that this node makes an item of a table, with the items."""
    match node:
        case ast.Assign(targets=targets, value=value):
            named = [target for target in targets if isinstance(target, ast.Name)]
        case ast.NamedExpr(target=target, value=value):
            named = [target]
        case ast.For(target=target, iter=listed):
            if (name := _item_of_loop(target)) and (table := _looped(listed, tables)):
                yield name, (table, "")
            return
        case _:
            return
    item = _item_of(value, tables) or _next_of(value, tables)
    yield from ((target.id, item) for target in named if item)


def _item_of_loop(target: ast.expr) -> str:
    """The variable of a loop that is an item: the second one of `for name, row in t.items()`."""
    if isinstance(target, ast.Tuple) and target.elts:
        target = target.elts[-1]
    return target.id if isinstance(target, ast.Name) else ""


def _looped(listed: ast.expr, tables: Mapping[str, str]) -> str:
    """The table whose items a loop goes through."""
    match listed:
        case ast.Call(func=ast.Attribute(value=table, attr="values" | "items"), args=[]):
            return _table(table, tables)
        case ast.Call(func=ast.Name(id="enumerate" | "reversed"), args=[table, *_]):
            return _table(table, tables)
    return _table(listed, tables)


def _next_of(value: ast.expr, tables: Mapping[str, str]) -> Item | None:
    """The first item of a table that fits, as `next(row for row in table)`."""
    match value:
        case ast.Call(
            func=ast.Name(id="next"),
            args=[ast.GeneratorExp(elt=ast.Name(id=name), generators=[first, *_]), *_],
        ) if _item_of_loop(first.target) == name and (table := _looped(first.iter, tables)):
            return table, ""
    return None


def _item_of(value: ast.expr, tables: Mapping[str, str]) -> Item | None:
    """The item of a table that this is: `table[key]` or `table.get(key)`."""
    match value:
        case ast.Subscript(value=table, slice=place):
            name = _table(table, tables)
        case ast.Call(func=ast.Attribute(value=table, attr="get" | "setdefault"), args=[place, *_]):
            name = _table(table, tables)
        case _:
            return None
    return (name, ast.unparse(place)) if name else None


def _items_around(
    part: ast.expr, items: Mapping[str, Item], tables: Mapping[str, str]
) -> Iterator[Item]:
    """The items that this part is in, however deep."""
    for _ in range(MAX_DEPTH):
        if isinstance(part, ast.Name) and part.id in items:
            yield items[part.id]
        if item := _item_of(part, tables):
            yield item
        match part:
            case ast.Subscript(value=within) | ast.Call(func=ast.Attribute(value=within)):
                part = within
            case _:
                return


def _changed_parts(node: ast.AST) -> Iterator[ast.expr]:
    """The containers that a node changes, such as `table[key]` of `table[key].append(1)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=item, attr=name)) if name in CHANGES:
            yield item
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            yield from (each.value for each in targets if isinstance(each, ast.Subscript))
        case ast.AugAssign(target=ast.Subscript(value=item)):
            yield item


def _tables(definition: Definition) -> dict[str, str]:
    """The tables that names of a function stand for: those of its parameters, and `name` after
    `name = state["key"]`. Other variables hold something new."""
    arguments = [node.arg for node in definition.nodes if isinstance(node, ast.arg)]
    tables = {name: name for name in arguments if name not in HOLDERS}
    for node in definition.nodes:
        if isinstance(node, ast.Assign):
            tables |= {
                target.id: key_of(node.value)
                for target in node.targets
                if isinstance(target, ast.Name)
            }
    return tables


def _table(node: ast.expr, tables: Mapping[str, str]) -> str:
    """The name of a table: of a variable, or of what the state keeps."""
    return tables.get(node.id, "") if isinstance(node, ast.Name) else key_of(node)
