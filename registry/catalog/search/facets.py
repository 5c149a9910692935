"""The values by which what is found can be narrowed, each with how many it would leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

FACETS = ("framework", "tag", "owner", "license", "visibility")
MOST_VALUES = 20


@dataclass(frozen=True, slots=True)
class Value:
    """One value; what it would leave is `count`, or more where the facet is not whole."""

    value: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet's most frequent values; `whole` where all matches were counted."""

    name: str
    values: tuple[Value, ...]
    whole: bool


class Counted(NamedTuple):
    """What is counted of a document."""

    framework: str
    labels: list[str]
    owner__name: str
    license: str
    visibility: str


def count(name: str, documents: Sequence[Counted], *, chosen: str, whole: bool) -> Facet:
    """That facet of the documents, of which empty values are left out."""
    counts = Counter(value for document in documents for value in _values(name, document))
    counts.pop("", None)
    most = counts.most_common(MOST_VALUES)
    if chosen and chosen not in dict(most):
        most.append((chosen, counts[chosen]))
    return Facet(name, tuple(Value(v, n, v == chosen) for v, n in most), whole)


def _values(name: str, document: Counted) -> Iterable[str]:
    if name == "tag":
        return document.labels
    return (document.owner__name if name == "owner" else getattr(document, name),)
