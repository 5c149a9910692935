"""Replies that a reward formats with all fields of a task: `reply.format(**row)`.

A reply is then a template that may name any field, the answer included, and attributes of it.
Fields that are chosen (`**{name: row[name] for name in SHOWN}`) are sound.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding

MESSAGE = (
    "{where} formats a text in a reward with all fields of the task ({text}): a reply that is "
    "such a text may name the field of the answer"
)
TEMPLATES = {"string.Template", "Template"}
SUBSTITUTES = {"substitute", "safe_substitute"}


def formatted_replies(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each place where a reward, or a function that it calls, formats a text that is
    no constant with all of a mapping."""
    return code_warnings(members, "env.formats_reply", MESSAGE, _places)


def _places(definitions: Definitions) -> Iterator[Place]:
    return ((each, node) for each in definitions.of_scoring for node in _formats(each))


def _formats(definition: Definition) -> Iterator[ast.Call]:
    for node in definition.nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="format"), keywords=given
            ):
                whole = any(each.arg is None and _is_mapping(each.value) for each in given)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="format_map"), args=[value]
            ):
                whole = _is_mapping(value)
            case ast.Call(
                func=ast.Attribute(value=ast.Call(args=[ast.Name(id=name)]) as made, attr=method),
                args=[value],
            ) if method in SUBSTITUTES and definition.code.dotted(made.func) in TEMPLATES:
                whole = _is_mapping(value)
            case _:
                continue
        if whole and name in definition.local_names:
            yield node


def _is_mapping(value: ast.expr) -> bool:
    """Whether it is a mapping as it is, and no choice of its fields."""
    match value:
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return True
        case ast.Call(func=ast.Attribute(attr="model_dump") | ast.Name(id="dict" | "vars")):
            return True
    return False
