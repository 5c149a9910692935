"""Attributes of environments, rubrics and parsers that rollouts change and on which they depend.

All rollouts of a process share these objects and run at the same time, so that a reset at the start
of a rollout does not help. Caches, pools, counts that are only written, connections and what is
kept by the identifier of a rollout are not meant.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from envyard.contract.code_checks.object_methods import Method
from envyard.contract.code_checks.rollout_functions import DECORATORS, PASSED, Function, passed
from envyard.contract.needs.code import Code

KINDS = ("Env", "Environment", "Rubric", "Parser")
MAX_BASES = 50
MAX_NODES = 2_000_000  # of methods, which each class reads with those of its bases
STEPS = {"env_response", "setup_state", "is_completed", "call_tool", "rollout", "score_rollout"}
STEPS |= {"score_group", "update_tool_args", "get_prompt_messages", "get_model_response", "parse"}
STEPS |= {"parse_answer", "add_trajectory_step", "add_model_response", "render_completion"}
ONCE = {"__init__", "__new__", "__post_init__", "__del__"}  # for each object


@dataclass(frozen=True, eq=False)
class _Class:
    code: Code
    node: ast.ClassDef


def shared_attributes(codes: Mapping[str, Code]) -> Iterator[tuple[str, str]]:
    """Each such attribute of a class of classic verifiers, and where a rollout changes it."""
    classes: defaultdict[str, list[_Class]] = defaultdict(list)
    names = set[str]()
    for code in codes.values():
        names |= passed(code)
        for node in code.file.nodes:
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(_Class(code, node))
    places, left = dict[tuple[str, str], None](), MAX_NODES
    for each in [each for group in classes.values() for each in group]:
        family = list(_family(each, classes)) if left > 0 else []
        methods = list(_methods(family, names))
        left -= sum(method.size for method in methods)
        places.update(dict.fromkeys(_shared(methods)))
    yield from places


def _family(first: _Class, classes: Mapping[str, list[_Class]]) -> Iterator[_Class]:
    """A class and its bases in the wheel; none where no base is a shared one of the framework."""
    waiting, family, is_shared = [first], list[_Class](), False
    while waiting and len(family) < MAX_BASES:
        each = waiting.pop()
        if each not in family:
            family.append(each)
            for base in each.node.bases[:MAX_BASES]:
                dotted = each.code.dotted(base.value if isinstance(base, ast.Subscript) else base)
                last = dotted.rpartition(".")[2]
                starred = last == dotted and "verifiers.*" in each.code.imports
                if dotted.startswith("verifiers.") or (starred and last not in classes):
                    classic = not dotted.startswith("verifiers.v1")
                    is_shared |= classic and last.endswith(KINDS)
                else:
                    waiting += classes.get(last, ())[:1]
    return iter(family if is_shared else ())


def _shared(methods: list[Method]) -> Iterator[tuple[str, str]]:
    """The attributes that methods of rollouts change and read."""
    changes = [change for method in methods for change in method.changes()]
    grown = {each.name for each in changes if each.kind == "grown"}
    shrunk = {each.name for each in changes if each.kind == "shrunk"}
    counted = {each.name for each in changes} - {each.name for each in changes if not each.counts}
    read = {name for method in methods for name in method.reads(counted)}
    seen = set[str]()
    for change in changes:
        if change.name in read - (grown & shrunk) - seen:
            seen.add(change.name)
            yield change.name, change.where


def _methods(family: list[_Class], passed: set[str]) -> Iterator[Method]:
    """The methods that rollouts call, with functions that other methods pass on."""
    named: dict[str, tuple[Code, Function]] = {}
    inner: list[tuple[Code, Function, str]] = []
    waiting: list[str] = []
    for each in family:
        for node in each.node.body:
            if isinstance(node, Function) and node.name not in named:
                named[node.name] = each.code, node
                if node.name not in ONCE and _is_step(each.code, node, passed):
                    waiting.append(node.name)
    steps = dict[str, None]()
    _close(named, waiting, steps)
    for name, (code, node) in named.items():
        if name not in steps and node.args.args:
            owner = node.args.args[0].arg
            for child in ast.walk(node):
                if child is node or not isinstance(child, Function):
                    continue
                if _is_step(code, child, passed):
                    inner.append((code, child, owner))
    _close(named, [name for _, node, owner in inner for name in _own_calls(node, owner)], steps)
    for name in steps:
        code, node = named[name]
        if node.args.args:
            yield Method(code, node, node.args.args[0].arg)
    yield from (Method(code, node, owner) for code, node, owner in inner)


def _close(
    named: Mapping[str, tuple[Code, Function]], waiting: list[str], steps: dict[str, None]
) -> None:
    """Add these methods and those that they call."""
    while waiting:
        name = waiting.pop()
        if name in named and name not in steps and name not in ONCE:
            steps[name] = None
            node = named[name][1]
            if node.args.args:
                waiting += _own_calls(node, node.args.args[0].arg)


def _own_calls(node: Function, owner: str) -> Iterator[str]:
    for each in ast.walk(node):
        of = each.value if isinstance(each, ast.Attribute) else None
        if isinstance(each, ast.Attribute) and isinstance(of, ast.Name) and of.id == owner:
            yield each.attr  # a call, or a property


def _is_step(code: Code, node: Function, passed: set[str]) -> bool:
    arguments = node.args
    names = {each.arg for each in (*arguments.args, *arguments.kwonlyargs)}
    decorators = {code.dotted(each).rpartition(".")[2] for each in node.decorator_list}
    if "teardown" in decorators:
        return False
    return bool(
        node.name in STEPS or node.name in passed or names & PASSED or decorators & DECORATORS
    )
