"""One environment of the zoo, and how the card should judge it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Api = Literal["v0", "v1"]
Level = Literal["sound", "warned", "rejected"]
APIS: tuple[Api, ...] = ("v1", "v0")


@dataclass(frozen=True, slots=True)
class Entry:
    """`module` is the text of the wheel's one module, `title` its flaw or why it is unusual.

    `expected` is `sound` where no finding may reject it, `warned` where one of `codes` must be
    among the findings, and `rejected` where one of them must be an error. Without codes any finding
    about the run counts. `declarations` is the text below `[tool.envyard]`. An environment by
    others has a `folder` in place of a text.
    """

    name: str
    api: Api
    title: str
    module: str
    expected: Level
    codes: tuple[str, ...] = ()
    declarations: str = ""
    rollout_seconds: float = 30.0
    quick: bool = False
    folder: Path | None = None

    @property
    def key(self) -> str:
        """The name with its API, by which commands and lists name it."""
        return self.name if self.folder else f"{self.name}-{self.api}"

    @property
    def flawed(self) -> bool:
        """Whether a flaw was planted."""
        return self.expected != "sound"
