"""One look at each member's bytes, from the first to the last, that finds all there is to know."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import BinaryIO

from envyard.contract import nested
from envyard.contract.headers import Entry
from envyard.contract.inflate import contents
from envyard.contract.leaks import Leak, Scanner


@dataclass(frozen=True, slots=True)
class Member:
    """One member whose bytes were read to the end; `mode` is the Unix mode, 0 where none is set."""

    name: str
    size: int
    mode: int
    sha256: str
    leaks: tuple[Leak, ...] = ()

    @property
    def is_directory(self) -> bool:
        """A folder entry, which RECORD does not list."""
        return self.name.endswith("/")


def read(file: BinaryIO, entry: Entry, budget: nested.Budget, scanner: Scanner) -> Member:
    """Read a member in bounded memory; raises Unreadable where its bytes are not what its headers
    say, or are an archive that expands beyond the budget."""
    digest, watch = hashlib.sha256(), nested.Watch(entry.name, budget)
    scanner.begin()
    for piece in contents(file, entry):
        digest.update(piece)
        scanner.feed(piece)
        watch.feed(piece)
    return Member(
        entry.name, entry.size, entry.mode, digest.hexdigest(), tuple(scanner.found.values())
    )
