"""Rewards that compare a digest with a constant of the code: a word that nobody can read is paid.

The digest of a task's own answer comes from the task. One that stands in the code is the same for
all tasks, and hides what it accepts from whoever reviews the wheel.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding
from envyard.contract.needs.code import Code

DIGESTS = re.compile(r".*\.(?:hexdigest|digest)|(?:zlib|binascii)\.(?:crc32|adler32)")
READS = re.compile(rb"\b(?:hashlib|hmac|crc32|adler32)\b")
MESSAGE = (
    "{where} compares a digest with a constant in a reward ({text}): it pays or refuses a text "
    "that the code does not show, whatever the task"
)
WRITTEN = re.compile(r"[0-9a-fA-F]{6,128}")


def digests_in_scoring(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each place where a reward, or a function that it calls, compares a digest with
    constants or with what the module holds for all tasks."""
    return code_warnings(members, "env.compares_digest", MESSAGE, _places, reads=READS)


def _places(definitions: Definitions) -> Iterator[Place]:
    return ((each, node) for each in definitions.of_scoring for node in _comparisons(each))


def _comparisons(definition: Definition) -> Iterator[ast.Compare]:
    digests = _names_of_digests(definition)
    for node in definition.nodes:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            made = [side for side in sides if _is_digest(side, definition.code, digests)]
            if made and any(_is_written(side, definition) for side in sides if side not in made):
                yield node


def _names_of_digests(definition: Definition) -> set[str]:
    return {
        target.id
        for node in definition.nodes
        if isinstance(node, ast.Assign) and _is_digest(node.value, definition.code, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _is_digest(node: ast.expr, code: Code, names: set[str]) -> bool:
    """Whether it is a digest, a part of one, or a variable that holds one."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Call) and bool(DIGESTS.fullmatch(code.dotted(node.func)))


def _is_written(node: ast.expr, definition: Definition) -> bool:
    """Whether it is a digest that is the same for all tasks, or a collection of some: written in
    the code, or a name of the module."""
    if isinstance(node, ast.Name):
        return node.id not in definition.local_names
    if isinstance(node, ast.Attribute | ast.Subscript):
        return False  # of a task, a state or a configuration; looked up by one
    if isinstance(node, ast.Constant) and isinstance(node.value, int | bytes):
        return not isinstance(node.value, bool) and node.value not in (0, 1, b"")
    texts = definition.code.values(node)
    return bool(texts) and all(map(WRITTEN.fullmatch, texts))
