"""Rows of classic verifiers environments whose task is a plain text.

Until 0.1.12 verifiers used a row's `task` to find its environment in a group; 0.1.14 and later take
`task`, of a row or in its `info`, as a JSON object and refuse other texts. Source: verifiers 0.1.12
and 0.1.14, `types.normalize_task_payload`.
"""

from __future__ import annotations

import ast
import json
from contextlib import suppress

from packaging.specifiers import SpecifierSet

from envyard.contract.frameworks.needed import Behaviour, Need

ACCEPTED = SpecifierSet("<0.1.13")
TEXT = "rows whose `task` is a plain text"
TASK, INFO = "task", "info"
ROW = {"prompt", "question"}  # a row has one of these columns


def plain_task_route(node: ast.AST) -> Behaviour | None:
    """LIKELY for a dict that is a row and whose task is a literal text; POSSIBLE where the code
    reads `info["task"]`, because the data set alone decides what that is."""
    if isinstance(node, ast.Dict) and _is_routed_row(node):
        return Behaviour(TEXT, ACCEPTED, Need.LIKELY)
    if isinstance(node, ast.Subscript) and _is_route_of_info(node):
        return Behaviour(TEXT, ACCEPTED, Need.POSSIBLE)
    return None


def _is_routed_row(node: ast.Dict) -> bool:
    columns = {
        key.value: value
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant)
    }
    return bool(ROW & columns.keys()) and _is_plain(columns.get(TASK))


def _is_plain(value: ast.expr | None) -> bool:
    """Whether it is a text that is no JSON object: a formatted one is judged by its first part."""
    if isinstance(value, ast.JoinedStr) and value.values:
        value = value.values[0]
        return isinstance(value, ast.FormattedValue) or not _text(value).lstrip().startswith("{")
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        return False
    with suppress(ValueError, RecursionError):
        return not isinstance(json.loads(value.value), dict)
    return True


def _text(value: ast.expr) -> str:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _is_route_of_info(node: ast.Subscript) -> bool:
    """`info["task"]` or `row["info"]["task"]`."""
    if not (isinstance(node.slice, ast.Constant) and node.slice.value == TASK):
        return False
    inner = node.value
    if isinstance(inner, ast.Subscript):
        return isinstance(inner.slice, ast.Constant) and inner.slice.value == INFO
    return isinstance(inner, ast.Name) and inner.id == INFO
