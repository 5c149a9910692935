"""The small interface that the runner has to every framework."""

from __future__ import annotations

from typing import Protocol


class Framework(Protocol):
    """What must be installed beside an environment, and the program that plays it."""

    def requirements(self, api: str) -> list[str]:
        """Requirements to add to the wheel's own, whatever those are."""
        ...

    def program(self, inside: str) -> list[str]:
        """What Python is started with in the sandbox; `inside` is where our files are mounted."""
        ...
