"""Values by their origins: the clock, or parameters of the function, which each call replaces."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from envyard.contract.code_checks.rollout_functions import Definition, Function
from envyard.contract.needs.code import Code

Value = frozenset[str] | tuple["Value", ...]
CLOCK = ""  # the origin that is no parameter
NONE: frozenset[str] = frozenset()
NOW = frozenset({CLOCK})
MAX_WIDTH = 12  # parts of a value that are followed one by one


@dataclass
class Scope:
    """The values of the names of one function, or of a module."""

    code: Code
    module: str
    definition: Definition | None = None
    owner: str = ""  # the class of a method
    values: dict[str, Value] = field(default_factory=dict)
    returned: Value = NONE
    parameters: list[str] = field(default_factory=list)

    def put(self, name: str, value: Value) -> None:
        """Add to what a name may be."""
        self.values[name] = join(self.values.get(name, NONE), value)


def flat(value: Value) -> frozenset[str]:
    """All origins of a value."""
    if isinstance(value, frozenset):
        return value
    return NONE.union(*map(flat, value))


def join(one: Value, other: Value) -> Value:
    """What is one of two values."""
    if one == other or not other:
        return one
    if not one:
        return other
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return tuple(join(a, b) for a, b in zip(one, other, strict=True))
    return flat(one) | flat(other)


def nodes_of(scope: Scope) -> Iterator[ast.AST]:
    """The nodes of a function with its inner ones, or of a module without functions and classes."""
    if scope.definition:
        yield from scope.definition.nodes
        return
    for statement in scope.code.file.tree.body:
        if not isinstance(statement, Function | ast.ClassDef):
            yield from ast.walk(statement)


def function_scope(module: str, code: Code, node: Function, owner: str) -> Scope:
    arguments = node.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    values: dict[str, Value] = {name: frozenset({name}) for name in names}
    definition = Definition(module, code, node)
    return Scope(code, module, definition, owner, values, parameters=names)


def local_names(scope: Scope) -> set[str]:
    return scope.definition.local_names if scope.definition else set()


def replaced(value: Value, given: Mapping[str, Value]) -> Value:
    """What a call returns whose arguments have these values."""
    if isinstance(value, tuple):
        return tuple(replaced(each, given) for each in value)
    timed = {
        each[1:] for each in value if each[:1] == "-" and CLOCK in flat(given.get(each[1:], NONE))
    }
    kept = NONE.union(*(flat(given.get(each, NONE)) for each in value if each not in timed))
    return kept if timed else kept | (value & NOW)


def shaped(parts: list[Value]) -> Value:
    """The value of a tuple, with a value for each of its parts."""
    if len(parts) > MAX_WIDTH:
        return NONE.union(*map(flat, parts))
    return tuple(tuple(map(flat, part)) if isinstance(part, tuple) else part for part in parts)


def outside(value: Value) -> Value:
    """A value outside the function whose parameters it depends on."""
    if isinstance(value, tuple):
        return tuple(map(outside, value))
    return value & NOW
