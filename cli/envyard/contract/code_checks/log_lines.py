"""Log lines, and conditions that decide whether one is logged and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from envyard.contract.code_checks.object_parts import is_log
from envyard.contract.needs.code import Code

# Calls that change nothing.
PURE = {"len", "repr", "str", "round", "type", "sorted", "min", "max", "sum", "int", "float"}
PURE |= {"bool", "list", "dict", "tuple", "json.dumps", "os.getenv", "os.environ.get"}
PURE_METHODS = {"lower", "upper", "strip", "join", "isEnabledFor", "getLogger"}
CHANGING = ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom


def deciding_nodes(code: Code, nodes: Iterable[ast.AST]) -> list[ast.AST]:
    """These nodes without those of log lines and of conditions that switch log lines alone."""
    nodes = list(nodes)
    logging = {
        id(part)
        for node in nodes
        if isinstance(node, ast.If | ast.Expr) and _only_logs(code, node)
        for part in ast.walk(node)
    }
    return [node for node in nodes if id(node) not in logging]


def _only_logs(code: Code, node: ast.If | ast.Expr) -> bool:
    if isinstance(node, ast.Expr):
        return _is_log_line(code, node)
    return _is_pure(code, node.test) and _logs(code, node)


def _logs(code: Code, node: ast.If) -> bool:
    """Whether all that the branches do is to log or print."""
    return all(
        isinstance(each, ast.Pass)
        or (isinstance(each, ast.If) and _is_pure(code, each.test) and _logs(code, each))
        or _is_log_line(code, each)
        for each in [*node.body, *node.orelse]
    )


def _is_log_line(code: Code, statement: ast.stmt) -> bool:
    """Whether a statement writes a line of a log, and to compute that changes nothing."""
    match statement:
        case ast.Expr(value=ast.Call(func=func, args=args, keywords=keywords)):
            parts = [func, *args, *(each.value for each in keywords)]
            return is_log(code, statement) and all(_is_pure(code, part) for part in parts)
    return False


def _is_pure(code: Code, value: ast.expr) -> bool:
    """Whether to compute it changes nothing."""
    for node in ast.walk(value):
        if isinstance(node, CHANGING):
            return False
        if isinstance(node, ast.Call):
            name = code.dotted(node.func)
            if name not in PURE and name.rpartition(".")[2] not in PURE_METHODS:
                return False
    return True
