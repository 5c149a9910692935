"""Scripts in a wheel that name their own dependencies (PEP 723), read without running anything.

A block is in a .py file, or in a string of one: environments hand such scripts to uv while they
score.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from packaging.requirements import Requirement

from envyard.contract.metadata import is_plain

MARK = b"/// script"
# The reference expression of the inline script metadata specification, for its one type.
BLOCK = re.compile(r"(?m)^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
MAX_SCRIPTS, MAX_DEPENDENCIES, MAX_LINE = 20, 50, 300


@dataclass(frozen=True, slots=True)
class InlineScript:
    """One block: the member that has it, and its dependencies as lines for a resolver.

    Requirements that no index can answer (by URL, or unreadable) are left out.
    """

    path: str
    dependencies: tuple[str, ...]


def inline_scripts(members: Mapping[str, bytes]) -> tuple[InlineScript, ...]:
    """The blocks with dependencies in a wheel given as member path -> bytes, each set once."""
    scripts: dict[tuple[str, ...], InlineScript] = {}
    for path, data in members.items():
        if not path.endswith(".py") or MARK not in data:
            continue
        for block in _blocks(data.decode("utf-8", "replace")):
            dependencies = _dependencies(block)
            if dependencies and len(scripts) < MAX_SCRIPTS:
                scripts.setdefault(dependencies, InlineScript(path, dependencies))
    return tuple(scripts.values())


def _blocks(source: str) -> Iterator[str]:
    """The TOML of each block in the file itself and in its strings."""
    texts = [source.replace("\r\n", "\n")]
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.Module([], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            value = node.value
            texts.append(value if isinstance(value, str) else value.decode("utf-8", "replace"))
    for text in texts:
        for match in BLOCK.finditer(text) if MARK.decode() in text else ():
            lines = match["content"].splitlines()
            yield "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines)


def _dependencies(block: str) -> tuple[str, ...]:
    """The plain requirements of a block, sorted; none where it cannot be read."""
    try:
        listed = tomllib.loads(block).get("dependencies", [])
    except (tomllib.TOMLDecodeError, RecursionError):
        return ()
    if not isinstance(listed, list):
        return ()
    lines = set()
    for line in listed[:MAX_DEPENDENCIES]:
        try:
            requirement = Requirement(line) if isinstance(line, str) else None
        except (ValueError, RecursionError):
            continue
        if requirement is not None and not requirement.url and is_plain(requirement):
            lines.add(str(requirement)[:MAX_LINE])
    return tuple(sorted(lines))
