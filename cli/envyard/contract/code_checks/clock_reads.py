"""Which calls and names of a file read the machine's clock."""

from __future__ import annotations

import ast
import re
from itertools import islice

from envyard.contract.code_checks.fixed_dates import CLOCKS as NAMED_CLOCKS
from envyard.contract.needs.code import Code

MAX_NAMES = 50  # of one expression, and of a dotted name
CLOCKS = NAMED_CLOCKS | {"Timestamp.today", "Timestamp.utcnow", "timezone.now", "time.asctime"}
CONVERTERS = {"time.localtime": 0, "time.gmtime": 0, "time.ctime": 0, "time.asctime": 0}
CONVERTERS |= {"time.strftime": 1}  # the place of the time, without which they read the clock
TAKE_NAMES = {"Timestamp", "datetime64", "to_datetime"}  # of `now` or `today`
MTIME = re.compile(
    r"(?:^|_|get)(?:m|c|a|birth)?time(?:_ns)?$|stamp|began|start|saved|cached|fetched"
)


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def plain_name(node: ast.expr) -> str:
    """`a.b.c` as it is written; empty for all but names."""
    names: list[str] = []
    while isinstance(node, ast.Attribute) and len(names) < MAX_NAMES:
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def is_clock(code: Code, node: ast.expr) -> bool:
    plain = plain_name(node)
    return bool(plain) and ".".join(code.dotted(node).split(".")[-2:]) in CLOCKS


def reads_clock(code: Code, call: ast.Call) -> bool:
    """Whether it gives the present time: `time.strftime(form, other)` gives another."""
    name = ".".join(code.dotted(call.func).split(".")[-2:])
    if is_clock(code, call.func):
        return len(call.args) <= CONVERTERS.get(name, MAX_NAMES)
    texts = [each.value for each in call.args[:1] if isinstance(each, ast.Constant)]
    return name.rpartition(".")[2] in TAKE_NAMES and texts[:1] in (["now"], ["today"])


def is_time(node: ast.expr) -> bool:
    """Whether its name says that it is a time of this machine: of a file, or of the start."""
    names = (
        each.id if isinstance(each, ast.Name) else each.attr
        for each in islice(ast.walk(node), MAX_NAMES)
        if isinstance(each, ast.Name | ast.Attribute)
    )
    return any(MTIME.search(name) for name in names)
