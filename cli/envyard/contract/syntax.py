"""The syntax trees of a wheel's Python files: each is parsed and walked once, within limits.

The code is hostile until proven otherwise: a MiB of it can make a million nodes, and each check
reads them. What is beyond the limits is not read at all.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_FILE_BYTES = 1 << 20
MAX_NODES = 400_000  # of all files; 1000 lines of usual code have about 4000
MAX_IMPORTS = 20_000  # imported names of all files

# Type parameters of PEP 695, in brackets on one line, with brackets of one more level in them.
BRACKETS = rb"\[[^\[\]\n]*+(?:\[[^\[\]\n]*+\][^\[\]\n]*+)*+\]"
GENERIC = re.compile(
    rb"^([ \t]*+(?:async[ \t]++def|def|class)[ \t]++\w++)[ \t]*+" + BRACKETS, re.MULTILINE
)
TYPE_ALIAS = re.compile(
    rb"^([ \t]*+)type[ \t]++(\w++)[ \t]*+(?:" + BRACKETS + rb")?+[ \t]*+=(?!=)", re.MULTILINE
)
# One object each, without any content.
LEAVES = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


@dataclass(frozen=True, slots=True)
class File:
    """One file: its tree, and all nodes of it that have content, the outer ones first."""

    path: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]

    @property
    def is_package(self) -> bool:
        """Whether the file is that of a package."""
        return self.path.endswith("__init__.py")


class OverLimit(Exception):
    """The file has more nodes or imports than are left."""


@dataclass(slots=True)
class Budget:
    """What is left for the files of one wheel."""

    nodes: int = MAX_NODES
    imports: int = MAX_IMPORTS

    def read(self, path: str, source: bytes) -> File | None:
        """The file, None where it is not Python; raises OverLimit, and reads nothing from then on.

        A file that cannot be parsed costs as much time as one that can, and is counted by its
        bytes.
        """
        if min(self.nodes, self.imports) <= 0:
            raise OverLimit
        try:
            tree = parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.nodes -= len(source) // 2
            return None
        nodes: list[ast.AST] = [tree]
        for node in nodes:
            nodes.extend(_children(node))
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imports -= len(node.names)
            if len(nodes) > self.nodes or self.imports < 0:
                self.nodes = 0
                raise OverLimit
        self.nodes -= len(nodes)
        return File(path, tree, tuple(nodes))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            yield from (item for item in value if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST) and not isinstance(value, LEAVES):
            yield value


def parse(source: bytes) -> ast.Module:
    """The tree of one file, without its type parameters where this Python does not know them; the
    environment may run on a newer one. Raises what `ast.parse` raises."""
    try:
        return ast.parse(source)
    except SyntaxError:
        older = TYPE_ALIAS.sub(rb"\1\2 =", GENERIC.sub(rb"\1", source))
        if older == source:
            raise
        return ast.parse(older)
