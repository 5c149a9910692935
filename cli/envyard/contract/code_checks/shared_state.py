"""Values of modules and attributes of environments that rollouts change and depend on.

A table that a tool takes items from, or a count of scored replies, makes a rollout's result depend
on the rollouts before it. A run of a few tasks may never change it, so the code is read. Caches,
which keep what would be computed again, and counts that are only logged are not meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import chain, islice

from envyard.contract.code_checks.object_state import shared_attributes
from envyard.contract.code_checks.rollout_functions import Definitions
from envyard.contract.code_checks.shallow_copies import shallow_copies
from envyard.contract.code_checks.value_uses import ValueUses
from envyard.contract.findings import Finding, finding
from envyard.contract.needs.code import Code, index
from envyard.contract.sources import Sources

MAX_FINDINGS = 5
CONTAINERS = {"dict", "list", "set", "defaultdict", "Counter", "deque", "OrderedDict"}
COPIES = {"copy", "deepcopy"}
DISPLAYS = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)


def shared_state(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each value of a module, and each attribute of an environment's object, that
    rollouts change and that decides what they get."""
    sources = Sources.of(members)
    codes = {name: index(name, file, {}) for name, file in sources.files.items()}
    findings = chain(_values_of_modules(codes), _attributes(codes), _shallow_copies(codes))
    yield from islice(findings, MAX_FINDINGS)


def _shallow_copies(codes: Mapping[str, Code]) -> Iterator[Finding]:
    for each in shallow_copies(codes):
        message = (
            f"{each.where} takes {each.table!r} without a copy, and {each.changed} changes what "
            "its items hold: all rollouts of a task share it"
            if each.is_whole
            else f"{each.where} copies {each.table!r} one level deep, and {each.changed} changes "
            "what its items hold: all rollouts of a process share these"
        )
        yield finding("env.shared_state", message, where=each.where)


def _attributes(codes: Mapping[str, Code]) -> Iterator[Finding]:
    for name, where in shared_attributes(codes):
        message = (
            f"{where} changes {name[:80]!r}, an attribute of the environment's object on which "
            "results depend: all rollouts of a process share it"
        )
        yield finding("env.shared_state", message, where=where)


def _values_of_modules(codes: Mapping[str, Code]) -> Iterator[Finding]:
    values = {
        f"{module}.{name}": scalar
        for module, code in codes.items()
        for name, scalar in _values(code)
    }
    if not values:
        return
    uses = ValueUses(values)
    functions = Definitions(codes).with_nested
    for definition in functions:
        uses.read_returned(definition)
    for definition in functions:
        uses.read(definition)
    for name, where in uses.shared():
        message = (
            f"{where} changes {name.rpartition('.')[2][:80]!r}, a value of the module on which "
            "results depend and which no function resets: all rollouts of a process share it"
        )
        yield finding("env.shared_state", message, where=where)


def _values(code: Code) -> Iterator[tuple[str, bool]]:
    """The names of a module that hold a container or a number, and whether it is a number."""
    for node in code.file.tree.body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        scalar = isinstance(value, ast.Constant) and type(value.value) in (int, float)
        called = code.dotted(value).rpartition(".")[2] if isinstance(value, ast.Call) else ""
        if scalar or isinstance(value, DISPLAYS) or called in CONTAINERS | COPIES:
            yield from ((each.id, scalar) for each in targets if isinstance(each, ast.Name))
