"""Predict the needs of an environment from the code of its wheel; nothing is imported or run.

A prediction says "probably": code may call what no task reaches, or compute every name.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from envyard.contract.needs import rules
from envyard.contract.needs.code import Code, index
from envyard.contract.needs.declarations import Declarations
from envyard.contract.needs.kinds import KINDS, Need, need
from envyard.contract.sources import MAX_FILE_BYTES, MAX_MODULES, dotted, parse

TEST_FOLDERS = {"tests", "test", "testing", "scripts", "examples", "benchmarks", "docs"}
COMPUTED_IMPORTS = {"importlib", "importlib.import_module", "pkgutil", "runpy"}


@dataclass(frozen=True, slots=True)
class Sign:
    """A line of code that shows a need; `names` are the literal ones on it."""

    kind: str
    where: str
    names: frozenset[str] = frozenset()


def needs_of(
    members: Mapping[str, bytes], declared: Declarations, *, module: str = ""
) -> tuple[Need, ...]:
    """The needs of a wheel given as member path -> bytes, one a kind.

    A kind about which the wheel declares anything is not predicted. Only files that the
    environment's module imports are read; all, where none is named or imports are computed.
    """
    files = _files(members)
    codes = [files[name] for name in sorted(_reached(files, module))]
    predicted = _merged(sign for code in codes for sign in signs(code))
    by_kind = {item.kind: item for item in predicted if item.kind not in declared.decided}
    by_kind |= {item.kind: item for item in declared.needs}
    return tuple(by_kind[kind] for kind in KINDS if kind in by_kind)


def signs(code: Code) -> Iterator[Sign]:
    """What the file shows, one sign for each line of it."""
    for call in code.calls():
        name = code.dotted(call.func)
        for rule in rules.CALLS:
            for kind, names in rule(code, call, name):
                yield Sign(kind, code.where(call), frozenset(names))
    for node in ast.walk(code.tree):
        for kind, names in rules.of_node(code, node):
            yield Sign(kind, code.where(node), frozenset(names))


def _files(members: Mapping[str, bytes]) -> dict[str, Code]:
    """The readable files of the wheel by the names of their modules."""
    files: dict[str, Code] = {}
    for path in sorted(members):
        name = dotted(path)
        if name is None or TEST_FOLDERS & set(path.split("/")[:-1]) or len(files) >= MAX_MODULES:
            continue
        if len(members[path]) > MAX_FILE_BYTES:
            continue
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            files[name] = index(path, parse(members[path]), files)
    return files


def _reached(files: Mapping[str, Code], module: str) -> set[str]:
    reached: set[str] = set()
    queue = [".".join(module.split(".")[: count + 1]) for count in range(module.count(".") + 1)]
    queue = [name for name in queue if name in files]
    while queue:
        name = queue.pop()
        if name not in reached:
            reached.add(name)
            queue += files[name].reaches()
    computed = any(COMPUTED_IMPORTS & files[name].imports for name in reached)
    return set(files) if computed or not reached else reached


def _merged(signs: Iterator[Sign]) -> list[Need]:
    """One need a kind, with the names of all signs and the place of the first."""
    by_kind: dict[str, list[Sign]] = defaultdict(list)
    for sign in signs:
        by_kind[sign.kind].append(sign)
    merged = []
    for kind, rows in by_kind.items():
        names = {name for row in rows for name in row.names}
        named = [row for row in rows if row.names] or rows
        merged.append(replace(need(kind, names), where=named[0].where))
    return merged
