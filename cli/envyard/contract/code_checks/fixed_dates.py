"""Comparisons of the clock with a fixed date: from that day on the environment does something else.

No run can show it before the day, so the code is read. A warning: the reason may be harmless.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from envyard.contract.findings import Finding, finding
from envyard.contract.needs.code import Code, assignments, index
from envyard.contract.sources import Sources

MAX_FINDINGS = 5
MAX_WALK = 200  # nodes of one expression
CLOCKS = {
    *("datetime.now", "datetime.utcnow", "datetime.today", "date.today", "Timestamp.now"),
    *("time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.strftime", "time.ctime"),
    *("pendulum.now", "pendulum.today", "arrow.now", "arrow.utcnow"),
}
DATES = {"datetime.date", "datetime.datetime", "pandas.Timestamp", "pendulum.datetime"}
PARSERS = {"fromisoformat", "strptime", "Timestamp", "parse"}
ISO_DATE = re.compile(r"(?:19|20)\d\d-?[01]\d(?:-?[0-3]\d)?(?!\d)")
YEARS = range(1990, 2200)
SECONDS = (1e9, 4e9)  # since 1970: from 2001 to 2096
READS = re.compile(rb"\b(?:utc)?now\s*\(|\btoday\s*\(|time(?:_ns)?\s*\(")


def compared_dates(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each comparison of the present time with a date that the code names."""
    sources = Sources.of(members)
    hits = (
        (code, node)
        for name, file in sources.files.items()
        if READS.search(sources[file.path])
        for code in (index(name, file, {}),)
        for node in _comparisons(code)
    )
    for code, node in islice(hits, MAX_FINDINGS):
        where = code.where(node)
        message = f"{where} compares the clock with a fixed date: {ast.unparse(node)[:120]}"
        yield finding("env.fixed_date", message, where=where)


def _comparisons(code: Code) -> Iterator[ast.Compare]:
    clocks, dates = _names(code)
    for node in code.file.nodes:
        if isinstance(node, ast.Compare):
            sides = [node.left, *islice(node.comparators, MAX_WALK)]
            timed = [_has_clock(code, side, clocks) for side in sides]
            fixed = [_has_date(code, side, dates) for side in sides]
            years = any(map(_is_year, sides)) and any(map(_takes_year, sides))
            if any(timed) and (
                years or any(f and not t for f, t in zip(fixed, timed, strict=True))
            ):
                yield node


def _names(code: Code) -> tuple[set[str], set[str]]:
    """Names and functions of the file that have the present time, and names that have a date."""
    clocks: set[str] = set()
    dates: set[str] = set()
    for name, value in assignments(code.file.nodes):
        if _has_clock(code, value, clocks):
            clocks.add(name)
        elif _has_date(code, value, dates):
            dates.add(name)
    for node in code.file.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            returned = (each.value for each in node.body if isinstance(each, ast.Return))
            if any(value is not None and _has_clock(code, value, clocks) for value in returned):
                clocks.add(node.name)
    return clocks, dates - clocks


def _has_clock(code: Code, expression: ast.expr, clocks: set[str]) -> bool:
    """Whether it reads the clock now; not the time that passed, which is a difference."""
    nodes = list(_walk(expression))
    if any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) for node in nodes):
        return False
    calls = (node for node in nodes if isinstance(node, ast.Call))
    reads = any(".".join(code.dotted(call).split(".")[-2:]) in CLOCKS for call in calls)
    return reads or any(_name(node) in clocks for node in nodes)


def _has_date(code: Code, expression: ast.expr, dates: set[str]) -> bool:
    return any(_is_date(code, node) or _name(node) in dates for node in _walk(expression))


def _is_date(code: Code, node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return bool(ISO_DATE.match(node.value))
        return isinstance(node.value, int | float) and SECONDS[0] <= node.value <= SECONDS[1]
    if not isinstance(node, ast.Call):
        return False
    name = code.dotted(node)
    constants = [argument for argument in node.args if isinstance(argument, ast.Constant)]
    if name.rpartition(".")[2] in PARSERS:
        return any(isinstance(each.value, str) for each in constants)
    return name in DATES and any(_is_year(each) for each in constants)


def _is_year(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value in YEARS


def _takes_year(expression: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("year", "tm_year")
        for node in _walk(expression)
    )


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _walk(expression: ast.expr) -> Iterable[ast.AST]:
    return islice(ast.walk(expression), MAX_WALK)
