"""The shape of a repository blueprint: sources, its possible bugs and its hidden calls."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Call = tuple[str, str, list[Any]]
"""(module, function, arguments) of one hidden test; the right code gives the expected value."""


@dataclass(frozen=True, slots=True)
class Bug:
    """One way to break the repository: `right` occurs once in `path` and becomes `wrong`."""

    path: str
    right: str
    wrong: str
    report: str
    """A user's report about it: the symptom, never the place."""


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A small repository; PKG in its sources is a placeholder for the package's name."""

    noun: str
    files: dict[str, str]
    tests: str
    bugs: tuple[Bug, ...]
    calls: Callable[[random.Random], list[Call]]
    """Hidden calls; they must tell every bug from the right code."""
