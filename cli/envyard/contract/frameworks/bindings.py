"""Which names a file or a function binds itself, or checks for."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def bound_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Every name that these nodes of a file bind, and the built-in ones."""
    names = set(dir(builtins))
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((item.asname or item.name).partition(".")[0] for item in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def rebound(scope: ast.Module | Function) -> set[str]:
    """The names that the scope's own statements assign, and a function's parameters.

    What an except handler assigns does not count: `vf = None` there is for a missing framework.
    """
    names: set[str] = set()
    if not isinstance(scope, ast.Module):
        arguments = scope.args
        named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        variadic = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
        names |= {argument.arg for argument in (*named, *variadic)}
    body: list[ast.AST] = [*scope.body] if isinstance(scope.body, list) else [scope.body]
    return names | set(_assigned(body))


def _assigned(waiting: list[ast.AST]) -> Iterator[str]:
    """The names that these nodes and those inside them assign; of any depth, so no recursion."""
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        else:
            inner = ast.iter_child_nodes(node)
            waiting += (n for n in inner if not isinstance(n, ast.ExceptHandler | ast.Lambda))


def guarded(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that the file checks for before it uses them: `hasattr(vf, "X")` and the like."""
    names = set()
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        checks = node.func.id == "hasattr" or (node.func.id == "getattr" and len(node.args) > 2)
        if checks and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
            names.add(str(node.args[1].value))
    return names
