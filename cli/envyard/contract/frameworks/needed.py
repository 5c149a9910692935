"""What code needs of its framework: names of its modules, and behaviours of some releases.

A need is CERTAIN where importing the environment's module reaches it whatever happens, LIKELY where
a function has it, POSSIBLE in a branch or where the code alone cannot show it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from packaging.specifiers import SpecifierSet


class Need(IntEnum):
    """How sure it is that a release without it breaks the environment."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Something other than a name that code needs: what it is, and the releases that have it."""

    text: str
    releases: SpecifierSet
    need: Need


def no_behaviour(_node: ast.AST) -> Behaviour | None:
    """For frameworks whose releases differ in names alone."""
    return None


@dataclass(frozen=True, slots=True)
class Use:
    """A name of a module of the framework, or the module itself where `name` is empty, or a
    behaviour where `module` is empty and `releases` are those that have it."""

    module: str
    name: str
    need: Need
    where: str
    releases: SpecifierSet | None = None

    @property
    def dotted(self) -> str:
        """As the author writes it."""
        return ".".join(part for part in (self.module, self.name) if part)


def behaviours(
    path: str, nodes: Iterable[ast.AST], behaviour: Callable[[ast.AST], Behaviour | None]
) -> Iterator[Use]:
    """The behaviours that these nodes of one file need."""
    for node in nodes:
        needed = behaviour(node)
        if needed is not None:
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            yield Use("", needed.text, needed.need, where, needed.releases)
