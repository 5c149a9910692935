"""The operator's settings of the data set hub that runs may read."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")


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

    def insecure(self, *, plain_http: bool) -> str:
        """Why the address must not be used, "" where it may: over plain http anybody on the way
        can choose what the first run locks, and read the token."""
        parts = urlsplit(self.url)
        if parts.scheme == "https" or parts.hostname in LOOPBACK:
            return ""
        if self.token:
            return "RUNNER_DATA_TOKEN needs a RUNNER_DATA_URL of https: http would reveal it"
        if plain_http:
            return ""
        return (
            f"RUNNER_DATA_URL={self.url} must start with https://; for a mirror inside your own "
            "network RUNNER_DATA_PLAIN_HTTP=1 allows http"
        )
