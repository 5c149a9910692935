"""What one run's data endpoint counted: the evidence for `needs_data` and for faults."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from envyard.contract.data_lock import MAX_FILES
from envyard.contract.data_requests import Refused, Repository

# Why a repository could not be read, each with a sentence for the version's page.
Need = Literal["no_mirror", "not_allowed", "gated", "not_found", "no_revision", "private"]
MAX_NAMED = 20  # repositories or files that a finding names
MAX_REQUESTS = 2000
MAX_MISSING = 20


@dataclass(slots=True)
class DataUsage:
    """Counts of one run; `max_bytes` bounds the files that it may read.

    `needs` has the repositories that were requested and not served, `not_locked` what a frozen run
    requested beyond its lock. `failed` is set at the first fault of the upstream or the store,
    which `fault` names: the platform must then repeat the run.
    """

    max_bytes: int
    requests: int = 0
    missing: int = 0
    files: int = 0
    bytes: int = 0
    needs: dict[str, Need] = field(default_factory=dict)
    not_locked: list[str] = field(default_factory=list)
    over_limit: str = ""
    fault: str = ""
    failed: asyncio.Event = field(default_factory=asyncio.Event)

    def add_request(self) -> None:
        """Count a request to the upstream; raises Refused 413 beyond the run's limits."""
        if self.requests >= MAX_REQUESTS:
            self.refuse(f"a run may cause {MAX_REQUESTS} requests to the data hub")
        if self.missing >= MAX_MISSING:
            self.refuse(f"a run may request {MAX_MISSING} names that the data hub lacks")
        self.requests += 1

    def add_file(self, size: int) -> None:
        """Count one file that the run reads; raises Refused 413 beyond the run's limits."""
        if self.files >= MAX_FILES:
            self.refuse(f"a run may read {MAX_FILES} files of data sets")
        self.files += 1
        self.bytes += size
        if self.bytes > self.max_bytes:
            self.refuse(f"a run may read {self.max_bytes >> 20} MB of data (RUNNER_DATA_RUN_MB)")

    def need(self, repository: Repository, reason: Need, revision: str = "") -> None:
        """Note a repository, or a revision of it, that this runner cannot serve."""
        if len(self.needs) < MAX_NAMED:
            name = f"{repository} at {revision}" if revision else str(repository)
            self.needs.setdefault(name, reason)

    def refuse_unlocked(self, name: str) -> None:
        """Note what the version's data lock does not name."""
        if len(self.not_locked) < MAX_NAMED and name not in self.not_locked:
            self.not_locked.append(name)

    def fail(self, message: str) -> None:
        """Note a fault of the platform; the first one is reported."""
        self.fault = self.fault or message
        self.failed.set()

    def refuse(self, message: str) -> NoReturn:
        """Note a limit that the run reached, and raise Refused 413."""
        self.over_limit = self.over_limit or message
        raise Refused(413, message)
