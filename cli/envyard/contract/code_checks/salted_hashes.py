"""Calls of `hash()` by which tasks are drawn, parted or scored.

Python salts the hashes of texts in each process (PYTHONHASHSEED), so another process has other
tasks, whatever their seed is. Sets of hashes, which only find equal values, are not meant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding

NAME = "hash"
READS = re.compile(rb"\bhash\(")
MESSAGE = (
    "{where} decides by hash() ({text}), which Python salts for texts in each process: tasks or "
    "rewards then differ between processes"
)
SEEDED = {"Random", "seed", "default_rng", "RandomState"}
DIVIDES = (ast.Mod, ast.BitAnd, ast.RShift, ast.FloorDiv, ast.BitXor)


def salted_hashes(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each such call in functions that load tasks, score or play."""
    return code_warnings(members, "env.salted_hash", MESSAGE, _places, reads=READS)


def _places(definitions: Definitions) -> Iterator[Place]:
    if definitions.define(NAME):
        return
    known = [*definitions.of_loading, *definitions.of_rollouts, *definitions.of_scoring]
    for definition in {id(each.node): each for each in known}.values():
        if NAME not in definition.local_names and definition.node.name != "__hash__":
            yield from ((definition, node) for node in _deciding(definition))


def _deciding(definition: Definition) -> Iterator[ast.expr]:
    """Divisions of a hash, and generators that one seeds."""
    for node in definition.nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, DIVIDES) and _is_hash(node.left):
            yield node
        elif isinstance(node, ast.Call) and _called(node) in SEEDED:
            inner = (each for argument in node.args for each in ast.walk(argument))
            yield from [node] if any(map(_is_hash, inner)) else []


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_hash(node: ast.AST) -> bool:
    """Whether it is a call of hash(), or its absolute value; that of a number is not salted."""
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return False
    argument = node.args[0]
    if _called(node) == "abs":
        return _is_hash(argument)
    is_number = isinstance(argument, ast.Constant) and not isinstance(argument.value, str | bytes)
    return isinstance(node.func, ast.Name) and node.func.id == NAME and not is_number
