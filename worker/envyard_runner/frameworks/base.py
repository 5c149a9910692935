"""The small interface that the runner has to every framework."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Needed:
    """What must be installed beside an environment.

    `requirements` are lines for the resolver, `driven` those that a lock made by another runner
    must meet too; `requires_python` is the framework's own Requires-Python.
    """

    requirements: tuple[str, ...]
    driven: tuple[str, ...] = ()
    requires_python: str = ""


class Framework(Protocol):
    """What must be installed beside an environment, and the program that plays it."""

    def needed(self, api: str, *, wheel: Path, module: str) -> Needed:
        """What the wheel, whose environment is in `module`, gets beside its own requirements.

        Raises VenvError where no release can run it.
        """
        ...

    def known(self, version: str) -> bool:
        """Whether the names that this release exports are known here."""
        ...

    def program(self, inside: str) -> list[str]:
        """What Python is started with in the sandbox; `inside` is where our files are mounted."""
        ...
