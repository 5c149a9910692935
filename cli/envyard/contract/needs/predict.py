"""Predict the needs of an environment from the code of its wheel; nothing is imported or run.

A prediction says "probably": code may call what no task reaches, or compute every name.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from envyard.contract.frameworks.imports import reached
from envyard.contract.needs import rules
from envyard.contract.needs.code import Code, index
from envyard.contract.needs.declarations import Declarations
from envyard.contract.needs.kinds import KINDS, Need, need
from envyard.contract.sources import Sources

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
    predicted = _merged(
        sign for code in _codes(Sources.of(members), module) for sign in signs(code)
    )
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
    for node in code.file.nodes:
        for kind, names in rules.of_node(code, node):
            yield Sign(kind, code.where(node), frozenset(names))


def _codes(sources: Sources, module: str) -> list[Code]:
    """The codes of the files that the module imports, or of all, without tests and scripts."""
    names = reached(sources.files, module) if module else set()
    imports = {name for each in names for name in _imports(sources, each)}
    if not names or COMPUTED_IMPORTS & imports:
        names = set(sources.files)
    codes: dict[str, Code] = {}
    for name in sorted(names):
        file = sources.files[name]
        if not TEST_FOLDERS & set(file.path.split("/")[:-1]):
            codes[name] = index(name, file, codes)
    return list(codes.values())


def _imports(sources: Sources, name: str) -> Iterator[str]:
    """What a module imports of COMPUTED_IMPORTS and others, by names without dots in front."""
    for node in sources.files[name].nodes:
        if isinstance(node, ast.Import):
            yield from (item.name for item in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{item.name}" for item in node.names)


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
