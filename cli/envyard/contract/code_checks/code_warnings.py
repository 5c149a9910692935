"""Warnings about places in the code of a wheel's rewards, tools and turns."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding, finding
from envyard.contract.needs.code import Code, index
from envyard.contract.sources import Sources

MAX_FINDINGS = 5
Place = tuple[Definition, ast.AST]


def code_warnings(
    members: Mapping[str, bytes],
    code: str,
    message: str,
    places: Callable[[Definitions], Iterable[Place]],
    *,
    reads: re.Pattern[bytes] | None = None,
) -> Iterator[Finding]:
    """A finding for each of the first places; `message` names `{where}` and `{text}`.

    Nothing is read closely where no file has what `reads` matches.
    """
    sources = Sources.of(members)
    files = sources.files.items()
    if reads is not None and not any(reads.search(sources[file.path]) for _, file in files):
        return
    codes: dict[str, Code] = {}
    for name, file in files:
        codes[name] = index(name, file, codes)
    rows = (
        (definition.code.where(node), ast.unparse(node)[:120])
        for definition, node in places(Definitions(codes))
    )
    for where, text in islice(dict.fromkeys(rows), MAX_FINDINGS):
        yield finding(code, message.format(where=where, text=text), where=where)
