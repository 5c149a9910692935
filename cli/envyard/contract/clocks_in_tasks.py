"""Tasks that are made from the present time: another day gives other tasks and answers.

Two loads on one day agree, so the code is read: where a function that loads tasks puts the present
time into a row, a prompt, an answer or a seed. Durations, logs and time stamps are not meant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice

from envyard.contract.findings import Finding, finding
from envyard.contract.fixed_dates import CLOCKS, READS
from envyard.contract.needs.code import Code, assignments, index
from envyard.contract.rollout_functions import Definitions
from envyard.contract.sources import Sources

MAX_FINDINGS = 5
MAX_WALK = 200  # nodes of one expression
MAX_DEPTH = 50  # of one expression
SEEDS = {"seed", "Random", "default_rng", "RandomState", "manual_seed"}
ROWS = (ast.Dict, ast.List, ast.ListComp, ast.DictComp)  # they have more than a time
FIELD = re.compile(
    r"prompt|question|problem|answer|label|target|solution|expected|instruction|message|content"
    r"|text|info|task|seed|today|^date$",
    re.IGNORECASE,
)


def clocks_in_tasks(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each place where the loading of tasks puts the present time into them."""
    sources = Sources.of(members)
    files = {name: file for name, file in sources.files.items() if READS.search(sources[file.path])}
    if not files:
        return
    codes = {name: index(name, file, {}) for name, file in sources.files.items()}
    definitions = Definitions(codes)
    readers = {name: _Reader(codes[name]) for name in files}
    nodes = chain(
        ((each.module, node) for each in definitions.of_loading for node in each.nodes),
        ((name, node) for name in files for node in _outside_functions(codes[name])),
    )
    hits = (
        (codes[module], value)
        for module, node in nodes
        if module in readers
        for value in _fields(codes[module], node)
        if readers[module].has_clock(value)
    )
    where = dict.fromkeys(code.where(value) for code, value in hits)
    for place in islice(where, MAX_FINDINGS):
        message = f"{place} puts the time of loading into a task: another day gives another answer"
        yield finding("env.clock_in_tasks", message, where=place)


class _Reader:
    """The expressions of one file that have the present time."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._names: set[str] = set()
        pairs = list(assignments(code.file.nodes))
        for _ in range(2):  # inner statements come after outer ones
            for name, value in pairs:
                if not isinstance(value, ROWS) and self.has_clock(value):
                    self._names.add(name)
            for node in code.file.nodes:
                if isinstance(node, ast.FunctionDef) and any(
                    isinstance(each, ast.Return) and each.value and self.has_clock(each.value)
                    for each in node.body
                ):
                    self._names.add(node.name)

    def has_clock(self, expression: ast.AST, depth: int = 0) -> bool:
        """Whether a part of it is the present time; a difference of two times is a duration."""
        if depth > MAX_DEPTH:
            return False
        if isinstance(expression, ast.Name) and expression.id in self._names:
            return True
        if isinstance(expression, ast.Attribute) and expression.attr in self._names:
            return True
        if isinstance(expression, ast.Call):
            dotted = self._code.dotted(expression.func)
            if ".".join(dotted.split(".")[-2:]) in CLOCKS:
                return True
        parts = [self.has_clock(part, depth + 1) for part in _parts(expression)]
        if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Sub):
            return any(parts) and not all(parts)
        return any(parts)


def _parts(expression: ast.AST) -> Iterable[ast.AST]:
    nodes = ast.iter_child_nodes(expression)
    return islice(
        (node for node in nodes if not isinstance(node, ast.operator | ast.expr_context)), MAX_WALK
    )


def _fields(code: Code, node: ast.AST) -> Iterator[ast.expr]:
    """The values of rows, prompts, answers and seeds that a node gives."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and FIELD.search(str(key.value)):
                yield value
    elif isinstance(node, ast.Call):
        yield from (each.value for each in node.keywords if each.arg and FIELD.search(each.arg))
        if code.dotted(node.func).rpartition(".")[2] in SEEDS:
            yield from node.args


def _outside_functions(code: Code) -> Iterator[ast.AST]:
    for statement in code.file.tree.body:
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from ast.walk(statement)
