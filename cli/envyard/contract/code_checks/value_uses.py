"""How the functions of rollouts use the values of modules: what they change, and what decides."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from envyard.contract.code_checks.rollout_functions import Definition

MAX_DEPTH = 8  # of subscripts
GROWS = {"append", "appendleft", "add", "extend", "insert"}
SHRINKS = {"pop", "popleft", "popitem", "remove", "discard"}
RESETS = {"clear", "update"}
# Of keys: each rollout has its own.
OWN = re.compile(
    r"trace|rollout|session|state|uuid|context|ctx|request|conversation", re.IGNORECASE
)
# What a branch may consist of without deciding anything: `if n % 100 == 0: log(n)`.
IDLE = (ast.Expr, ast.Pass, ast.Raise, ast.Delete, ast.AugAssign)


class ValueUses:
    """How the functions of rollouts use these values, by dotted name; True where it is a number."""

    def __init__(self, values: Mapping[str, bool]) -> None:
        self._values = values
        self._changed: dict[str, str] = {}
        self._grown: set[str] = set()
        self._shrunk: set[str] = set()
        self._deciding: set[str] = set()
        self._reset: set[str] = set()
        self._filled: set[str] = set()  # by items that were missing
        self._inner: set[str] = set()  # changed within an item
        self._parts: dict[str, str] = {}  # of the function that is read
        self._missing: set[int] = set()  # its assignments where an item is missing
        self._better: set[int] = set()  # and where a new value exceeds the old one, or falls below
        self._returned: dict[str, str] = {}  # by the simple names of functions that return a part

    def shared(self) -> Iterator[tuple[str, str]]:
        """Each value that is changed, decides and is never reset, and where it is changed.

        What grows and shrinks is a pool: it gets back what was taken. What is filled where an item
        is missing is a cache, if nothing changes its items.
        """
        excluded = self._reset | (self._grown & self._shrunk) | (self._filled - self._inner)
        for name, where in self._changed.items():
            if name in self._deciding and name not in excluded:
                yield name, where

    def read_returned(self, definition: Definition) -> None:
        """Note a function that returns a part that is no rollout's own, as `return VALUE[key]`."""
        for node in definition.nodes:
            value = node.value if isinstance(node, ast.Return) else None
            is_part = isinstance(value, ast.Subscript) and not _is_own(value.slice)
            if is_part and value is not None and (name := self._root(definition, value)):
                self._returned[definition.node.name] = name

    def read(self, definition: Definition) -> None:
        """Read one function of rollouts."""
        self._parts = dict(self._local_parts(definition))
        self._missing = set(_under_missing(definition.nodes))
        self._better = set(self._under_comparison(definition))
        filled = {
            name
            for node in definition.nodes
            if isinstance(node, ast.If) and (name := self._tested(definition, node.test))
        }
        for node in definition.nodes:
            if isinstance(node, ast.AugAssign):
                self._count(definition, node)
            elif isinstance(node, ast.Assign):
                self._assign(definition, node)
            elif isinstance(node, ast.Delete):
                for target in node.targets:
                    self._change(definition, node, self._root(definition, target), self._shrunk)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                self._call(definition, node, node.func, filled)
            self._decide(definition, node)

    def _count(self, definition: Definition, node: ast.AugAssign) -> None:
        """A change by an amount; a number that is added to and taken from counts a pool."""
        name = self._root(definition, node.target)
        if isinstance(node.target, ast.Subscript):
            is_nested = isinstance(node.target.value, ast.Subscript)
            self._inner |= {name} if is_nested or _leaf(node.target) in self._parts else set()
        kind = self._shrunk if isinstance(node.op, ast.Sub) else self._grown
        self._change(definition, node, name, kind if self._values.get(name) else None)

    def _assign(self, definition: Definition, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in definition.local_names:
                continue  # a name for a part of it
            name = self._root(definition, target)
            is_record = id(node) in self._better and isinstance(target, ast.Subscript)
            if name and (is_record or name in self._names(definition, node.value)):
                self._change(definition, node, name)
            elif name and id(node) in self._missing:
                self._filled.add(name)
            elif name:
                self._reset.add(name)  # or it is a cache, whose items do not depend on others

    def _under_comparison(self, definition: Definition) -> Iterator[int]:
        """The ids of assignments under a test whether something is larger or smaller than a part of
        a value: they keep the best of all rollouts."""
        for node in definition.nodes:
            test = node.test if isinstance(node, ast.If) else None
            if (
                isinstance(node, ast.If)
                and isinstance(test, ast.Compare)
                and isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
                and self._names(definition, test)
            ):
                yield from (id(each) for each in node.body if isinstance(each, ast.Assign))

    def _local_parts(self, definition: Definition) -> Iterator[tuple[str, str]]:
        """Local names for parts: `part = VALUE[...]`, `part = VALUE.setdefault(...)`."""
        self._parts = {}
        for node in definition.nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                value: ast.expr = node.value
                if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
                    if name := self._returned.get(value.func.id, ""):
                        yield node.targets[0].id, name
                    continue
                if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
                    value = value.func.value if value.func.attr == "setdefault" else node.value
                elif not isinstance(value, ast.Subscript):
                    continue
                if name := self._root(definition, value):
                    yield node.targets[0].id, name

    def _call(
        self, definition: Definition, node: ast.Call, called: ast.Attribute, filled: set[str]
    ) -> None:
        name = self._root(definition, called.value)
        if called.attr in RESETS and name:
            self._reset.add(name)
        elif called.attr in GROWS and name in filled:
            self._grown.add(name)
        elif called.attr in GROWS:
            self._change(definition, node, name, self._grown)
        elif called.attr in SHRINKS:
            self._change(definition, node, name, self._shrunk)

    def _change(
        self, definition: Definition, node: ast.AST, name: str, kind: set[str] | None = None
    ) -> None:
        if name:
            self._changed.setdefault(name, definition.code.where(node))
            (set() if kind is None else kind).add(name)

    def _decide(self, definition: Definition, node: ast.AST) -> None:
        """Note the values that a node's condition or result depends on; a number that is returned
        may be a name for something new, so it is not counted."""
        if isinstance(node, ast.Return) and node.value is not None:
            names = self._names(definition, node.value)
            self._deciding.update(name for name in names if not self._values[name])
        elif (
            isinstance(node, ast.If | ast.While) and not _is_idle([*node.body, *node.orelse])
        ) or isinstance(node, ast.IfExp):
            self._deciding.update(self._names(definition, node.test))

    def _names(self, definition: Definition, expression: ast.expr) -> set[str]:
        nodes = (
            node for node in ast.walk(expression) if isinstance(node, ast.Name | ast.Attribute)
        )
        return {name for node in nodes if (name := self._name(definition, node))}

    def _tested(self, definition: Definition, test: ast.expr) -> str:
        """The value of `if VALUE` and `if not VALUE`: there it is filled once."""
        return self._name(definition, test.operand if isinstance(test, ast.UnaryOp) else test)

    def _root(self, definition: Definition, node: ast.expr) -> str:
        """The value that `VALUE[...][...]` is a part of; empty for others."""
        for _ in range(MAX_DEPTH):
            if not isinstance(node, ast.Subscript):
                break
            node = node.value
        return self._name(definition, node)

    def _name(self, definition: Definition, node: ast.AST) -> str:
        """The dotted name of such a value; empty for everything else."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return ""
        if isinstance(node, ast.Name) and node.id in definition.local_names:
            return self._parts.get(node.id, "")
        dotted = definition.code.dotted(node)
        own = f"{definition.module}.{dotted}"
        return own if own in self._values else dotted if dotted in self._values else ""


def _leaf(node: ast.expr) -> str:
    """The name that `name[...][...]` begins with."""
    for _ in range(MAX_DEPTH):
        node = node.value if isinstance(node, ast.Subscript) else node
    return node.id if isinstance(node, ast.Name) else ""


def _is_own(key: ast.expr) -> bool:
    """Whether a key looks like a rollout's own, as `trace.id`: each then has its item."""
    return OWN.search(ast.unparse(key)[:200]) is not None


def _under_missing(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """The ids of the assignments under `if key not in VALUE`, of keys that are no rollout's own."""
    for node in nodes:
        test = node.test if isinstance(node, ast.If) else None
        if (
            isinstance(node, ast.If)
            and isinstance(test, ast.Compare)
            and isinstance(test.ops[0], ast.NotIn)
            and not _is_own(test.left)
        ):
            yield from (id(each) for each in node.body if isinstance(each, ast.Assign))


def _is_idle(statements: list[ast.stmt]) -> bool:
    return all(
        isinstance(each, IDLE)
        or (isinstance(each, ast.Return) and (each.value is None or _is_none(each.value)))
        for each in statements
    )


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
