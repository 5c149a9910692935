"""Read each member's bytes once, from the first to the last, for all checks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from envyard.contract import nested, pickles
from envyard.contract.headers import Entry
from envyard.contract.inflate import contents
from envyard.contract.leaks import Leak, Scanner
from envyard.contract.python_text import Source


@dataclass(frozen=True, slots=True)
class Member:
    """One member whose bytes were read to the end; `mode` is the Unix mode, 0 where none is set.

    `sha256` is hexadecimal; `digests` are by further algorithms, where RECORD uses them.
    `program` is the kind of machine code that it begins as, `source_fault` what Python and people
    read in two ways in it; each is empty where there is none.
    """

    name: str
    size: int
    mode: int
    sha256: str
    digests: tuple[tuple[str, str], ...] = ()
    leaks: tuple[Leak, ...] = ()
    pickles: tuple[pickles.Verdict, ...] = ()
    program: str = ""
    source_fault: str = ""

    @property
    def is_directory(self) -> bool:
        """A folder entry, which RECORD does not list."""
        return self.name.endswith("/")


class Reader:
    """Reads members in bounded memory; what archives in them hold is bounded for all together."""

    def __init__(self, file: BinaryIO, max_expanded: int, algorithms: Sequence[str] = ()) -> None:
        self._file, self._algorithms = file, algorithms
        self._budget, self._scanner, self._opcodes = (
            nested.Budget(max_expanded), Scanner(), pickles.Budget(),
        )  # fmt: skip

    def read(self, entry: Entry) -> Member:
        """Read a member; raises Unreadable where its bytes are not what its headers say, or are an
        archive that expands beyond the budget."""
        digest = hashlib.sha256()
        hashes = [hashlib.new(name) for name in self._algorithms]
        inspection = nested.Inspection(entry.name, self._budget, self._scanner, self._opcodes)
        content = nested.Content(inspection, entry.name)
        source = Source()
        with inspection.files:
            for chunk in contents(self._file, entry):
                for hasher in (digest, *hashes):
                    hasher.update(chunk)
                content.feed(chunk)
                if entry.name.endswith((".py", ".pyw")):
                    source.feed(chunk)
            content.close()
            source.close()
        if content.ends_as_zip:
            self._read_again(entry, inspection)
        return Member(
            entry.name, entry.size, entry.mode, digest.hexdigest(),
            tuple((hasher.name, hasher.hexdigest()) for hasher in hashes),
            tuple(inspection.leaks.values()), tuple(inspection.pickles), inspection.program,
            source.fault,
        )  # fmt: skip

    def _read_again(self, entry: Entry, inspection: nested.Inspection) -> None:
        with inspection.files:
            copy = inspection.kept_aside()
            for chunk in contents(self._file, entry):
                copy.write(chunk)
            nested.look_behind_prefix(copy, inspection)
