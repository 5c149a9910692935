"""Scripts in a wheel that name their own dependencies (PEP 723), read without running anything.

A block is in a .py file, or in a string of one: environments hand such scripts to uv while they
score.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from packaging.requirements import Requirement

from envyard.contract import toml_text
from envyard.contract.metadata import is_plain
from envyard.contract.sources import Sources
from envyard.contract.syntax import File

MARK = b"/// script"
OPEN, CLOSE = "# /// script", "# ///"
MAX_SCRIPTS, MAX_DEPENDENCIES, MAX_LINE = 20, 50, 300
MAX_BLOCKS = 100  # that are parsed, in all files
MAX_CHARACTERS = 16 << 10  # of a block


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
    files = {path: data for path, data in members.items() if path.endswith(".py") and MARK in data}
    if not files:
        return ()
    trees = {file.path: file for file in Sources.of(members).files.values()}
    blocks = (
        (path, block)
        for path, data in files.items()
        for block in _blocks(data.decode("utf-8", "replace"), trees.get(path))
    )
    for path, block in islice(blocks, MAX_BLOCKS):
        dependencies = _dependencies(block)
        if dependencies and len(scripts) < MAX_SCRIPTS:
            scripts.setdefault(dependencies, InlineScript(path, dependencies))
    return tuple(scripts.values())


def _blocks(source: str, file: File | None) -> Iterator[str]:
    """The TOML of each block in the file itself and in its strings."""
    yield from _blocks_of_text(source.replace("\r\n", "\n"))
    for node in file.nodes if file else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            value = node.value
            text = value if isinstance(value, str) else value.decode("utf-8", "replace")
            if MARK.decode() in text:
                yield from _blocks_of_text(text)


def _blocks_of_text(text: str) -> Iterator[str]:
    """The content of each block: the comments from its first line to the last `# ///` of the lines
    that are comments without interruption, as the reference expression of PEP 723 reads it."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if lines[at] != OPEN:
            at += 1
            continue
        end = at + 1
        while end < len(lines) and (lines[end] == "#" or lines[end].startswith("# ")):
            end += 1
        last = max((n for n in range(at + 2, end) if lines[n] == CLOSE), default=0)
        if last:
            yield "\n".join(
                line.removeprefix("#").removeprefix(" ") for line in lines[at + 1 : last]
            )
        at = last + 1 if last else end


def _dependencies(block: str) -> tuple[str, ...]:
    """The plain requirements of a block, sorted; none where it cannot be read."""
    try:
        table = toml_text.loads(block, max_characters=MAX_CHARACTERS)
    except (ValueError, RecursionError):
        return ()
    listed = table.get("dependencies", [])
    if not isinstance(listed, list):
        return ()
    lines = set()
    for line in listed[:MAX_DEPENDENCIES]:
        if not isinstance(line, str) or len(line) > MAX_LINE:
            continue
        try:
            requirement = Requirement(line)
        except (ValueError, RecursionError):
            continue
        if not requirement.url and is_plain(requirement):
            lines.add(str(requirement))
    return tuple(sorted(lines))
