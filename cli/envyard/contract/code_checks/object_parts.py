"""Parts of methods: lines of logs, and what is assigned to which names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envyard.contract.needs.code import Code

LOG = re.compile(
    r"(?:^|[._])(?:log(?:ger|ging)?|warnings?)\.|^print$|(?:^|[._])log(?:_\w+)?$|\.sleep$"
)


def is_log(code: Code, node: ast.AST) -> bool:
    """Whether a statement writes a line of a log."""
    value = node.value if isinstance(node, ast.Expr) else None
    value = value.value if isinstance(value, ast.Await) else value
    return isinstance(value, ast.Call) and bool(LOG.search(code.dotted(value)))


def bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets that a node assigns, with the expressions."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        if node.value is not None:
            yield node.target, node.value
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr


def target_names(target: ast.expr) -> Iterator[str]:
    """The local names of a target."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List | ast.Starred):
        for each in ast.iter_child_nodes(target):
            if isinstance(each, ast.expr):
                yield from target_names(each)
