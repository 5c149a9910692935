"""The operator's settings of the data set hub that runs may read."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DataSource:
    """The operator's settings: the upstream's address, its token, and what may be read there.

    `allowed` holds patterns of repositories (`openai/*`), `hosts` patterns of other hosts that the
    upstream may redirect to (`*.hf.co`).
    """

    url: str
    token: str | None = field(default=None, repr=False)
    allowed: tuple[str, ...] = ("*",)
    hosts: tuple[str, ...] = ()

    def allows(self, name: str) -> bool:
        """Whether the operator lets runs read this repository."""
        return any(fnmatch.fnmatchcase(name.lower(), rule.lower()) for rule in self.allowed)
