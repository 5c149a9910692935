"""Rewards that merge the reply over the task's values and then compare with what was merged.

`{**truth, **reply}` has the reply's value for each key that both have, so a reply that brings the
right key along sets the expected value. Constants that a reply overrides are defaults, and sound.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding

MESSAGE = (
    "{where} merges the parsed reply over the task's values ({text}) and compares with the result: "
    "a reply with the right keys sets what it is compared with"
)
PARSES = {"json.loads", "yaml.safe_load", "ast.literal_eval", "tomllib.loads", "orjson.loads"}


def replaced_values(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each merge in a reward, or a function that it calls, by which a parsed reply
    replaces values that are compared afterwards."""
    return code_warnings(members, "env.reply_replaces_values", MESSAGE, _places)


def _places(definitions: Definitions) -> Iterator[Place]:
    scoring = definitions.of_scoring
    parsers = {each.node.name for each in scoring if _parses(each, each.nodes)}
    return ((each, node) for each in scoring for node in _merges(each, parsers))


def _parses(definition: Definition, nodes: tuple[ast.AST, ...], names: set[str] = PARSES) -> bool:
    return any(
        isinstance(node, ast.Call)
        and ({definition.code.dotted(node.func)} | _last(definition, node)) & names
        for node in nodes
    )


def _last(definition: Definition, call: ast.Call) -> set[str]:
    return {definition.code.dotted(call.func).rpartition(".")[2]}


def _merges(definition: Definition, parsers: set[str]) -> Iterator[ast.AST]:
    """The merges whose result is looked up in a comparison."""
    replies = {
        target.id
        for node in definition.nodes
        if isinstance(node, ast.Assign)
        and _parses(definition, tuple(ast.walk(node.value)), PARSES | parsers)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    merged: dict[str, ast.AST] = {}
    for node in definition.nodes:
        if isinstance(node, ast.Assign) and _replaces(node.value, replies):
            merged |= {each.id: node for each in node.targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.Call) and (name := _updated(node, replies)):
            merged[name] = node
    compared = {
        each.id
        for node in definition.nodes
        if isinstance(node, ast.Compare)
        for part in ast.walk(node)
        if isinstance(part, ast.Subscript | ast.Attribute)
        for each in [part.value]
        if isinstance(each, ast.Name)
    }
    yield from (node for name, node in merged.items() if name in compared)


def _replaces(value: ast.expr, replies: set[str]) -> bool:
    """Whether it is `{**values, **reply}` or `values | reply`, of values that are no constants."""
    match value:
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Name(id=name)):
            return name in replies and _is_computed(left)
        case ast.Dict(keys=keys, values=[*values]) if keys and keys[-1] is None:
            last, *_ = values[::-1]
            known = [each for each in values[:-1] if _is_computed(each)]
            return isinstance(last, ast.Name) and last.id in replies and bool(known)
    return False


def _updated(call: ast.Call, replies: set[str]) -> str:
    """The name of what `name.update(reply)` changes; empty for another call."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="update"), args=[ast.Name(id=reply)]
        ) if reply in replies:
            return name
    return ""


def _is_computed(node: ast.expr) -> bool:
    """Whether it holds a name that is no constant of the module."""
    names = (each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    return any(not name.isupper() for name in names)
