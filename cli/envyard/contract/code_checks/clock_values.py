"""Which values of a wheel's functions depend on the present time, read from the code alone.

A value is the set of its origins: the clock, or parameters of the function, which each call
replaces. The parts of rows are followed by place (`for question, answer in rows`) and by constant
key (`row["month"]`). Branches are not followed: a limit of time or the age of a cache decides only
where a value comes from.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest

from envyard.contract.code_checks.clock_reads import (
    is_clock,
    is_self,
    is_time,
    plain_name,
    reads_clock,
)
from envyard.contract.code_checks.clock_scopes import (
    CLOCK,
    NONE,
    NOW,
    Scope,
    Value,
    flat,
    function_scope,
    join,
    local_names,
    nodes_of,
    outside,
    replaced,
    shaped,
)
from envyard.contract.code_checks.rollout_functions import Function
from envyard.contract.needs.code import Code, assignments
from envyard.contract.sources import Definition, Sources

MAX_DEPTH = 50  # of one expression
MAX_METHODS = 5  # of one name in a module
ROUNDS = 6  # more only matter for names that are used before they are assigned
SAME = {"list", "sorted", "set", "tuple", "reversed", "iter", "dict", "items", "copy"}
SAME |= {"sample", "choice", "choices", "islice", "next"}  # they give rows as they are
WITHOUT = {"len", "isinstance", "print", "hasattr", "type", "sleep"}
NAMED = {"format", "replace", "date", "datetime", "timedelta", "relativedelta", "strftime"}
ASSIGNS: tuple[type[ast.AST], ...] = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.NamedExpr,
    ast.For,
    ast.AsyncFor,
)
ASSIGNS += (ast.comprehension, ast.Dict, ast.arguments, ast.Return, ast.Yield, ast.YieldFrom)
ASSIGNS += (ast.FunctionDef, ast.AsyncFunctionDef)
FILLS = {"append", "add", "insert", "extend", "appendleft", "update", "setdefault"}


class ClockValues:
    """The values of all functions and modules of a wheel."""

    def __init__(self, sources: Sources, codes: Mapping[str, Code]) -> None:
        self._sources = sources
        self.modules = {name: Scope(code, name) for name, code in codes.items()}
        self.functions: dict[str, Scope] = {}
        self._methods: defaultdict[tuple[str, str], list[Scope]] = defaultdict(list)
        self._classes: dict[str, list[str]] = {}  # names of fields in order
        self._known: dict[int, Value] = {}  # of the expressions that this round has read
        for module, code in codes.items():
            self._index(module, code)
        scopes = (*self.modules.values(), *self.functions.values())
        nodes = [(each, node) for each in scopes for node in nodes_of(each) if _assigns(node)]
        for _ in range(ROUNDS):
            before = self._state()
            self._known = {}
            for scope, node in nodes:
                self._read(scope, node)
            if self._state() == before:
                break

    def _index(self, module: str, code: Code) -> None:
        for node in code.file.tree.body:
            if isinstance(node, Function):
                self.functions[f"{module}.{node.name}"] = function_scope(module, code, node, "")
            elif isinstance(node, ast.ClassDef):
                fields = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
                names = [each.id for each in fields if isinstance(each, ast.Name)]
                self._classes[f"{module}.{node.name}"] = names
                for item in node.body:
                    if isinstance(item, Function):
                        scope = function_scope(module, code, item, node.name)
                        self.functions[f"{module}.{node.name}.{item.name}"] = scope
                        self._methods[module, item.name].append(scope)

    def _state(self) -> list[object]:
        scopes = (*self.modules.values(), *self.functions.values())
        return [(dict(scope.values), scope.returned) for scope in scopes]

    def called(self, scope: Scope, call: ast.Call) -> list[tuple[Scope, dict[str, ast.expr]]]:
        """The wheel's functions that a call may reach, with their arguments by parameter."""
        target, skip = self._target(scope, call.func), 0
        if target:
            scopes = [self.functions[target]] if target in self.functions else []
        elif isinstance(call.func, ast.Attribute) and is_self(call.func.value):
            scopes = self._methods[scope.module, call.func.attr][:MAX_METHODS]
            skip = 1
        else:
            scopes = []
        return [(each, dict(_bound(each.parameters[skip:], call))) for each in scopes]

    def fields(self, scope: Scope, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
        """The positional arguments of an object of a class of the wheel, by field."""
        names = self._classes.get(self._target(scope, call.func), [])
        yield from zip(names, call.args, strict=False)

    def _target(self, scope: Scope, called: ast.expr) -> str:
        """The dotted name that a function or class of the wheel has where it is defined."""
        if isinstance(called, ast.Name) and called.id in local_names(scope):
            return ""
        module = self._sources.modules.get(scope.module)
        name = plain_name(called)
        if module is None or not name or name.startswith(("self.", "cls.")):
            return ""
        place = self._sources.find(module, name)
        return f"{place.module.name}.{place.name}" if isinstance(place, Definition) else ""

    def _read(self, scope: Scope, node: ast.AST) -> None:
        """Note what one statement or part of one assigns."""
        if isinstance(node, ast.Assign):
            value = self.value(scope, node.value)
            for target in node.targets:
                self._bind(scope, target, value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            if node.value is not None:
                self._bind(scope, node.target, self.value(scope, node.value))
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._bind(scope, node.target, self.value(scope, node.iter))
        elif isinstance(node, ast.Dict):
            for key, item in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant):
                    scope.put(f"[{key.value!r}]", self.value(scope, item))
        elif isinstance(node, ast.arguments):
            for name, default in assignments([node]):
                scope.put(name, self.value(scope, default))
        elif isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
            value = self.value(scope, node.value)
            scope.returned = join(scope.returned, value)
        elif isinstance(node, Function) and scope.definition and node is not scope.definition.node:
            for each in ast.walk(node):
                if isinstance(each, ast.Return) and each.value is not None:
                    scope.put(node.name, self.value(scope, each.value))
        elif filled := _filled(node):
            self._bind(scope, filled[0], self.value(scope, filled[1]))

    def _bind(self, scope: Scope, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            parts = value if isinstance(value, tuple) and len(value) == len(target.elts) else ()
            for item, part in zip_longest(target.elts, parts):
                self._bind(scope, item, flat(value) if part is None else part)
        elif isinstance(target, ast.Starred):
            self._bind(scope, target.value, value)
        elif isinstance(target, ast.Name):
            where = scope if target.id in local_names(scope) else self.modules[scope.module]
            where.put(target.id, value if where is scope else outside(value))
        elif isinstance(target, ast.Attribute) and is_self(target.value):
            self.modules[scope.module].put(f"{scope.owner}.{target.attr}", outside(value))
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
            scope.put(f"[{target.slice.value!r}]", value)
        elif isinstance(target, ast.Subscript) and value:
            self._bind(scope, target.value, shaped([self.value(scope, target.slice), value]))

    def value(self, scope: Scope, node: ast.AST, depth: int = 0) -> Value:
        """The value of an expression."""
        if depth > MAX_DEPTH:
            return NONE
        if (known := self._known.get(id(node))) is None:
            known = self._known[id(node)] = self._value(scope, node, depth)
        return known

    def _value(self, scope: Scope, node: ast.AST, depth: int) -> Value:
        if isinstance(node, ast.Name):
            return self._name(scope, node)
        if isinstance(node, ast.Attribute):
            return self._attribute(scope, node, depth)
        if isinstance(node, ast.Call):
            return self._call(scope, node, depth)
        if isinstance(node, ast.Subscript):
            return self._item(scope, node, depth)
        if isinstance(node, ast.Tuple):
            return shaped([self.value(scope, each, depth + 1) for each in node.elts])
        if isinstance(node, ast.List | ast.Set):
            value: Value = NONE
            for each in node.elts:
                value = join(value, self.value(scope, each, depth + 1))
            return value
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            return self.value(scope, node.elt, depth + 1)
        if isinstance(node, ast.Starred | ast.Await | ast.NamedExpr):
            return self.value(scope, node.value, depth + 1)
        if isinstance(node, ast.DictComp):
            return shaped([self.value(scope, each, depth + 1) for each in (node.key, node.value)])
        if isinstance(node, ast.Dict):  # constant keys are read by key
            pairs = zip(node.keys, node.values, strict=True)
            open_ = (each for key, each in pairs if not isinstance(key, ast.Constant))
            return self._all(scope, open_, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            return self._difference(scope, node, depth)
        if isinstance(node, ast.Lambda):
            return self.value(scope, node.body, depth + 1)
        return self._all(scope, ast.iter_child_nodes(node), depth)

    def _all(self, scope: Scope, nodes: Iterable[ast.AST], depth: int) -> frozenset[str]:
        return NONE.union(*(flat(self.value(scope, each, depth + 1)) for each in nodes))

    def _name(self, scope: Scope, node: ast.Name) -> Value:
        if node.id in local_names(scope):
            return scope.values.get(node.id, NONE)
        dotted = scope.code.dotted(node)
        if is_clock(scope.code, node):
            return NOW
        own = self.modules[scope.module].values.get(node.id, NONE)
        module, _, name = dotted.rpartition(".")
        return self.modules[module].values.get(name, NONE) if module in self.modules else own

    def _attribute(self, scope: Scope, node: ast.Attribute, depth: int) -> Value:
        if is_self(node.value):
            return self.modules[scope.module].values.get(f"{scope.owner}.{node.attr}", NONE)
        dotted = scope.code.dotted(node)
        if is_clock(scope.code, node):
            return NOW
        module, _, name = dotted.rpartition(".")
        if module in self.modules:
            return self.modules[module].values.get(name, NONE)
        return flat(self.value(scope, node.value, depth + 1))

    def _item(self, scope: Scope, node: ast.Subscript, depth: int) -> Value:
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            value = scope.values.get(f"[{node.slice.value!r}]")
            module = self.modules[scope.module]
            keyed = module.values.get(f"[{node.slice.value!r}]", NONE) if value is None else value
            return join(keyed, flat(self.value(scope, node.value, depth + 1)))
        value = self.value(scope, node.value, depth + 1)
        if isinstance(node.slice, ast.Slice) or isinstance(value, frozenset):
            return value
        place = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(place, int) and -len(value) <= place < len(value):
            return value[place]
        return flat(value)

    def _call(self, scope: Scope, node: ast.Call, depth: int) -> Value:
        if reads_clock(scope.code, node):
            return NOW
        last = scope.code.dotted(node).rpartition(".")[2]
        reached = self.called(scope, node)
        if reached:
            value: Value = NONE
            for callee, arguments in reached:
                given = {k: self.value(scope, v, depth + 1) for k, v in arguments.items()}
                value = join(value, replaced(callee.returned, given))
            return value
        if last in WITHOUT:
            return NONE
        if last == "zip":
            return shaped([self.value(scope, each, depth + 1) for each in node.args])
        if last == "enumerate" and node.args:
            return shaped([NONE, self.value(scope, node.args[0], depth + 1)])
        if last in SAME:
            inner = node.args[0] if node.args else getattr(node.func, "value", None)
            return NONE if inner is None else self.value(scope, inner, depth + 1)
        named = [each.value for each in node.keywords if last in NAMED]
        called = [] if is_clock(scope.code, node.func) else [node.func]
        return self._all(scope, [*called, *node.args, *named], depth)

    def _difference(self, scope: Scope, node: ast.BinOp, depth: int) -> frozenset[str]:
        """A difference of two times is a duration, as is the age of a file."""
        sides = (node.left, node.right)
        left, right = (flat(self.value(scope, side, depth + 1)) for side in sides)
        if (CLOCK in left or is_time(node.left)) and (CLOCK in right or is_time(node.right)):
            return NONE
        if CLOCK in left | right:  # of a call with another time it is a duration, too
            return left | right | {f"-{each}" for each in left | right if each}
        return left | right


def _assigns(node: ast.AST) -> bool:
    return isinstance(node, ASSIGNS) or _filled(node) is not None


def _filled(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """The container of a call like `rows.append(row)`, and what is put into it."""
    if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute):
        return (node.func.value, node.args[-1]) if node.func.attr in FILLS else None
    return None


def _bound(parameters: list[str], call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    yield from zip(parameters, call.args, strict=False)
    yield from ((each.arg, each.value) for each in call.keywords if each.arg in parameters)
