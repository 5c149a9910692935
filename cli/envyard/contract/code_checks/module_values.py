"""The values of module variables that code reads, and those that these values are made from."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from envyard.contract.needs.code import Code

MAX_STEPS, MAX_VALUES = 4, 200

Value = tuple[Code, ast.expr]


def module_values(
    code: Code, nodes: Iterable[ast.AST], local_names: Collection[str] = ()
) -> tuple[Value, ...]:
    """What the variables that these nodes read were assigned, from another module of the wheel too,
    and of what those values are made; each with the code of its module."""
    new = [*_read(code, nodes, local_names)]
    values = {id(value): (other, value) for other, value in new}
    for _ in range(MAX_STEPS):
        read = [each for other, value in new for each in _made_from(other, value)]
        new = [(other, value) for other, value in read if id(value) not in values]
        values |= {id(value): (other, value) for other, value in new}
        if not new or len(values) > MAX_VALUES:
            break
    return tuple(values.values())


def _made_from(code: Code, value: ast.expr) -> list[Value]:
    """The values that this one names; each is read once for all functions."""
    known = code.made_from.get(id(value))
    if known is None:
        known = code.made_from[id(value)] = [*_read(code, ast.walk(value))]
    return known


def _read(
    code: Code, nodes: Iterable[ast.AST], local_names: Collection[str] = ()
) -> Iterator[Value]:
    names, dotted = set[str](), set[str]()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            dotted.add(code.dotted(node))
    names -= set(local_names)
    own = [value for name in names for value in code.assigned.get(name, ())]
    own.sort(key=lambda value: (value.lineno, value.col_offset))
    yield from ((code, value) for value in own)
    imported = {code.aliases[name] for name in names if name in code.aliases}
    for place in sorted(imported | dotted):
        module, _, name = place.rpartition(".")
        if other := code.files.get(module):
            yield from ((other, value) for value in other.assigned.get(name, ()))
