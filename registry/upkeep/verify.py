"""Verify that every row has its objects and every object has a row."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Literal

from registry import storage
from registry.storage import Missing, Stored
from registry.storage.base import CHUNK
from registry.storage.unnamed import delete_unnamed
from registry.upkeep import integrity
from registry.upkeep.kinds import GRACE, KINDS, Kind, Reference

ProblemKind = Literal["missing", "corrupt", "orphan", "unknown"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One object that does not match the rows; `message` is for the operator."""

    kind: ProblemKind
    key: str
    message: str


@dataclass(slots=True)
class Outcome:
    """The counts and problems. `young` objects without a row are within GRACE, and no problem."""

    objects: int = 0
    bytes: int = 0
    young: int = 0
    deleted: int = 0
    problems: list[Problem] = field(default_factory=list)


def verify(
    *,
    now: datetime,
    delete_orphans: bool = False,
    progress: Callable[[Outcome], None] = lambda _: None,
) -> Outcome:
    """Compare rows and storage in the order of the keys, and read every object with a row.

    Memory does not grow with the hub. A difference is checked again before it counts as a problem,
    because the hub may be running.
    """
    walk = _Walk(now, delete_orphans, Outcome(), progress)
    for problem in integrity.problems():
        walk.outcome.problems.append(Problem("corrupt", "database", problem))
    kinds = {kind.prefix: kind for kind in KINDS}
    for prefix, objects in groupby(
        storage.get().list(), lambda stored: stored.key.partition("/")[0]
    ):
        if prefix in kinds:
            walk.kind(kinds.pop(prefix), objects)
        else:
            walk.unknown_objects(prefix, objects)
    for kind in kinds.values():
        walk.kind(kind, iter(()))
    return walk.outcome


@dataclass(frozen=True, slots=True)
class _Walk:
    now: datetime
    delete_orphans: bool
    outcome: Outcome
    progress: Callable[[Outcome], None]

    def kind(self, kind: Kind, objects: Iterator[Stored]) -> None:
        for reference, stored in _side_by_side(kind.references(self.now), objects):
            if stored is not None:
                self._count(stored)
            if reference is not None:
                self._check_reference(kind, reference)
            elif stored is not None and kind.rows is not None:
                self._orphan(kind, stored)

    def unknown_objects(self, prefix: str, objects: Iterator[Stored]) -> None:
        for stored in objects:
            self._count(stored)
            self._report_problem("unknown", stored.key, f"the hub keeps nothing under {prefix!r}")

    def _count(self, stored: Stored) -> None:
        self.outcome.objects += 1
        self.outcome.bytes += stored.size
        self.progress(self.outcome)

    def _report_problem(self, kind: ProblemKind, key: str, message: str) -> None:
        self.outcome.problems.append(Problem(kind, key, message))

    def _check_reference(self, kind: Kind, reference: Reference) -> None:
        if not reference.sha256:
            return
        digest = hashlib.sha256()
        try:
            with storage.get().open(reference.key) as reader:
                while chunk := reader.read(CHUNK):
                    digest.update(chunk)
        except Missing:
            if reference.needed and kind.rows_of(reference.key, self.now).exists():
                self._report_problem("missing", reference.key, f"{reference.by} has no bytes")
            return
        if digest.hexdigest() != reference.sha256:
            message = f"{reference.by} has other bytes, their sha256 is {digest.hexdigest()}"
            self._report_problem("corrupt", reference.key, message)

    def _orphan(self, kind: Kind, stored: Stored) -> None:
        if stored.modified > self.now - GRACE:
            self.outcome.young += 1
        elif self.delete_orphans:
            rows = kind.rows_of(stored.key, self.now)
            self.outcome.deleted += delete_unnamed(stored.key, rows)
        elif not kind.rows_of(stored.key, self.now).exists():
            self._report_problem("orphan", stored.key, f"no row names these {stored.size} bytes")


def _side_by_side(
    names: Iterator[Reference], objects: Iterator[Stored]
) -> Iterator[tuple[Reference | None, Stored | None]]:
    """Pairs of the same key, and single ones with None; both iterators are in the order of the
    keys."""
    reference, stored = next(names, None), next(objects, None)
    while reference or stored:
        if stored is None or (reference and reference.key < stored.key):
            yield reference, None
            reference = next(names, None)
        elif reference is None or stored.key < reference.key:
            yield None, stored
            stored = next(objects, None)
        else:
            yield reference, stored
            reference, stored = next(names, None), next(objects, None)
