"""Rewards that compare two parts of a state of which tools can write any part.

What is expected then stands where the policy may write: it need not reach the target if it can move
it. A tool that checks which keys it may write is sound, and so is a comparison with a task's data.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding

READS = re.compile(rb"\bstate\b")
MESSAGE = (
    "{where} compares two parts of the state in a reward ({text}), and a tool writes whichever key "
    "it is given: a policy can change what is expected"
)
TRUSTED = {"data", "task", "info", "answer"}  # names of what a rollout does not change


def state_in_scoring(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each comparison in a reward, both sides of which are read from a state that a
    tool writes by a key of the caller's."""
    return code_warnings(members, "env.compares_state", MESSAGE, _places, reads=READS)


def _places(definitions: Definitions) -> Iterator[Place]:
    written = {name for each in definitions.of_rollouts for name in _written_fields(each)}
    if written:
        for definition in definitions.of_scoring:
            yield from ((definition, node) for node in _comparisons(definition, written))


def _written_fields(definition: Definition) -> Iterator[str]:
    """The fields of a state of which the function assigns an item by an unchecked parameter."""
    arguments = definition.node.args
    parameters = {each.arg for each in (*arguments.args, *arguments.kwonlyargs)} - {"self"}
    for node in definition.nodes:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            match target:
                case ast.Subscript(
                    value=ast.Attribute(value=owner, attr=field), slice=ast.Name(id=key)
                ) if key in parameters and _is_state(owner, set()):
                    if not _is_checked(definition, key, field):
                        yield field


def _is_checked(definition: Definition, key: str, field: str) -> bool:
    """Whether the function compares the key with anything but the keys that the field has."""
    return any(
        any(isinstance(each, ast.Name) and each.id == key for each in ast.walk(node.left))
        and not any(
            isinstance(each, ast.Attribute) and each.attr == field
            for side in node.comparators
            for each in ast.walk(side)
        )
        for node in definition.nodes
        if isinstance(node, ast.Compare)
    )


def _comparisons(definition: Definition, written: set[str]) -> Iterator[ast.Compare]:
    aliases = {
        target.id
        for node in definition.nodes
        if isinstance(node, ast.Assign) and _is_state(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in definition.nodes:
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
            sides = [node.left, *node.comparators]
            fields = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            if fields & written and all(_is_of_state(side, aliases) for side in sides):
                yield node


def _is_of_state(side: ast.expr, aliases: set[str]) -> bool:
    """Whether it is read from the state, and from nothing that a rollout cannot change."""
    parts = [*ast.walk(side)]
    names = {each.attr for each in parts if isinstance(each, ast.Attribute)}
    names |= {each.id for each in parts if isinstance(each, ast.Name)}
    return not names & TRUSTED and any(_is_state(each, aliases) for each in parts)


def _is_state(node: ast.AST, aliases: set[str]) -> bool:
    match node:
        case ast.Attribute(attr="state"):
            return True
        case ast.Name(id=name):
            return name in aliases
    return False
