"""The functions of a wheel that rollouts call (tools, rewards, turns), and those that load tasks.

Read from the code alone, by simple names over all files: a function may be counted that nothing
calls.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from envyard.contract.code_checks.log_lines import deciding_nodes
from envyard.contract.code_checks.module_values import module_values
from envyard.contract.needs.code import Code

Function = ast.FunctionDef | ast.AsyncFunctionDef

# Parameters that frameworks pass to rewards and to the steps of a rollout.
PASSED = {"completion", "completions", "state", "trace", "action"}
DECORATORS = {"reward", "group_reward", "metric", "tool", "stop", "setup", "cleanup", "teardown"}
REWARDS = {"reward", "group_reward"}  # of these decorators
# Methods that frameworks call in a rollout.
METHODS = {"env_response", "setup_state", "is_completed", "call_tool", "step", "run", "respond"}
METHODS |= {"reset", "setup", "rollout", "score", "score_rollout", "update_tool_args"}
LOADS = ("load", "build_tasks", "__init__", "get_dataset")  # methods and prefixes of functions
# Keywords and methods that take the functions of rollouts.
TAKES = {"tools", "funcs", "reward_funcs", "stop_conditions", "metrics", "stop_funcs"}
TAKES |= {"extract_fn"}  # of a parser
ADDS = {"add_tool", "add_reward_func", "add_metric", "add_stop_condition", "add_func"}
TAKES_REWARDS = {"funcs", "reward_funcs", "extract_fn"}
ADDS_REWARDS = {"add_reward_func", "add_func"}


@dataclass(frozen=True)
class Definition:
    """One function, the code that holds it and the module's name."""

    module: str
    code: Code
    node: Function

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of it, those of inner functions included."""
        return tuple(ast.walk(self.node))

    @cached_property
    def deciding(self) -> list[ast.AST]:
        """Its nodes without those that decide nothing but what is printed or logged."""
        return deciding_nodes(self.code, self.nodes)

    @cached_property
    def local_names(self) -> set[str]:
        """Names that are variables of the function, so none of the module's."""
        outer = {name for node in self.nodes if isinstance(node, ast.Global) for name in node.names}
        stored = {
            node.id
            for node in self.nodes
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        return (stored | {node.arg for node in self.nodes if isinstance(node, ast.arg)}) - outer

    @cached_property
    def variables(self) -> tuple[tuple[Code, ast.expr], ...]:
        """The values of module variables that it reads and does not only log, each with the code
        of its module."""
        return module_values(self.code, self.deciding, self.local_names)


class Definitions:
    """All functions of a wheel's modules, by simple name."""

    def __init__(self, codes: Mapping[str, Code]) -> None:
        self._by_name: defaultdict[str, list[Definition]] = defaultdict(list)
        self._roots: list[str] = []
        self._nested: list[Definition] = []
        self._rewards: list[Definition] = []
        for module, code in codes.items():
            top = set[int]()
            for node, is_method in _functions(code.file.tree):
                top.add(id(node))
                self._by_name[node.name].append(Definition(module, code, node))
                if _is_called_in_rollouts(code, node, is_method=is_method):
                    self._roots.append(node.name)
            self._rewards += _rewards(module, code)
            names = passed(code)
            self._roots += names
            self._nested += [
                Definition(module, code, node)
                for node in code.file.nodes
                if isinstance(node, Function)
                and id(node) not in top
                and (node.name in names or _is_called_in_rollouts(code, node, is_method=False))
            ]

    def define(self, name: str) -> bool:
        """Whether a function of the wheel has this name."""
        return name in self._by_name

    @cached_property
    def of_rollouts(self) -> list[Definition]:
        """The functions that rollouts may call."""
        return self._closure(self._roots, _called)

    @cached_property
    def with_nested(self) -> list[Definition]:
        """The functions that rollouts may call, with those that are defined within functions."""
        called = [name for each in self._nested for name in _called(each)]
        return [*self._nested, *self._closure([*self._roots, *called], _called)]

    @cached_property
    def of_scoring(self) -> list[Definition]:
        """The rewards, and the functions that they may call."""

        def mentioned(definition: Definition) -> Iterator[str]:
            names = _mentioned(definition)
            return (name for name in names if name not in definition.local_names)

        called = self._closure((n for each in self._rewards for n in mentioned(each)), mentioned)
        known = {id(each.node): each for each in (*self._rewards, *called)}
        return [*known.values()]

    @cached_property
    def of_loading(self) -> list[Definition]:
        """The functions that load tasks, without those that rollouts call."""
        loads = [name for name in self._by_name if name.startswith(LOADS)]
        skipped = {id(each.node) for each in self.of_rollouts}
        functions = self._closure(loads, _mentioned)
        return [each for each in functions if id(each.node) not in skipped]

    def _closure(
        self, names: Iterable[str], called: Callable[[Definition], Iterator[str]]
    ) -> list[Definition]:
        waiting, functions = list(names), dict[str, None]()
        while waiting:
            name = waiting.pop()
            if name not in functions and name in self._by_name:
                functions[name] = None
                waiting += [other for each in self._by_name[name] for other in called(each)]
        return [each for name in functions for each in self._by_name[name]]


def _functions(tree: ast.Module) -> Iterator[tuple[Function, bool]]:
    """Functions of the module and of its classes, and whether each is a method."""
    for node in tree.body:
        if isinstance(node, Function):
            yield node, False
        elif isinstance(node, ast.ClassDef):
            yield from ((item, True) for item in node.body if isinstance(item, Function))


def _is_called_in_rollouts(code: Code, node: Function, *, is_method: bool) -> bool:
    arguments = node.args
    names = {arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    decorators = {code.dotted(each).rpartition(".")[2] for each in node.decorator_list}
    return bool(names & PASSED or decorators & DECORATORS or (is_method and node.name in METHODS))


def _rewards(module: str, code: Code) -> Iterator[Definition]:
    """The functions that are passed as rewards or decorated as such, those within functions
    included."""
    names = passed(code, TAKES_REWARDS, ADDS_REWARDS)
    for node in code.file.nodes:
        if isinstance(node, Function):
            decorators = {code.dotted(each).rpartition(".")[2] for each in node.decorator_list}
            if node.name in names or decorators & REWARDS:
                yield Definition(module, code, node)


def passed(code: Code, takes: Collection[str] = TAKES, adds: Collection[str] = ADDS) -> set[str]:
    """Names of functions that these keywords and methods take, such as tools and rewards; also in
    a list that a variable holds, a loop goes through or a function returns."""
    names = set[str]()
    for node in code.file.nodes:
        values: list[ast.expr] = []
        if isinstance(node, ast.keyword) and node.arg in takes:
            values = [node.value]
        elif isinstance(node, ast.Call) and code.dotted(node).rpartition(".")[2] in adds:
            values = node.args
        names.update(name for value in values for name in _names(value))
    lists = _lists_of_names(code) if names else {}
    return names.union(*(lists.get(name, ()) for name in names))


def _lists_of_names(code: Code) -> dict[str, list[str]]:
    """The names in the lists that a variable may hold or a function returns."""
    lists: defaultdict[str, list[str]] = defaultdict(list)
    for node in code.file.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List() | ast.Tuple() as value):
                lists[name] += _names(value)
            case ast.For(target=ast.Name(id=name), iter=ast.List() | ast.Tuple() as value):
                lists[name] += _names(value)
            case ast.FunctionDef(name=name):
                for each in _returned(node):
                    lists[name] += _names(each)
    return lists


def _returned(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """The lists that a function returns as they are written."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.List | ast.Tuple):
            yield node.value


def _names(value: ast.expr) -> Iterator[str]:
    items = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    for item in items:
        match item:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Call(func=ast.Name(id=name)):
                yield name


def _called(definition: Definition) -> Iterator[str]:
    for node in definition.nodes:
        if isinstance(node, ast.Call):
            yield definition.code.dotted(node).rpartition(".")[2]


def _mentioned(definition: Definition) -> Iterator[str]:
    """Names of functions that it calls or passes on, as to `dataset.map`."""
    yield from _called(definition)
    for node in definition.nodes:
        if isinstance(node, ast.Call):
            yield from (item.id for item in node.args if isinstance(item, ast.Name))
