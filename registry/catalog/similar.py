"""Warn where a name is easily mistaken for that of an older environment of another owner.

No rows are compared: the likenesses of all names that are one slip away are looked up in the index
over likenesses. Those are up to some 7,000 for the longest name, however many environments there
are.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from itertools import combinations

from envyard.contract.findings import Finding, finding
from registry.catalog.likeness import REPLACEMENTS, likeness
from registry.catalog.models import Environment

LETTERS = sorted(
    {REPLACEMENTS.get(letter, letter) for letter in string.ascii_lowercase + string.digits}
)
SHORT = 5  # below this many letters most names are one slip away from another
BATCH = 900  # values in one query
MAX_CANDIDATES = 20  # rows per query
DIGITS = re.compile(r"\d+")


def name_findings(environment: Environment) -> list[Finding]:
    """A warning that names the most installed environment it may be mistaken for, or nothing."""
    similar = similar_environment(environment)
    if similar is None:
        return []
    return [
        finding(
            "name.similar",
            f"{environment.name!r} is easily taken for {similar}",
            resembles=str(similar),
        )
    ]


def similar_environment(environment: Environment) -> Environment | None:
    """The most installed public environment that another owner listed earlier under a similar name.
    Names that differ in their numbers alone are not similar: `aime-2024`, `aime-2025`."""
    older = Environment.objects.listed().filter(
        visibility=Environment.Visibility.PUBLIC, created_at__lt=environment.created_at
    )
    foreign = older.exclude(owner=environment.owner_id).select_related("owner")
    candidates: list[Environment] = []
    likenesses = sorted(slips(environment.name))
    for start in range(0, len(likenesses), BATCH):
        matching = foreign.filter(likeness__in=likenesses[start : start + BATCH])
        candidates += matching.order_by("-installs", "-star_count", "pk")[:MAX_CANDIDATES]
    similar = [other for other in candidates if not _numbered(other.name, environment.name)]
    return max(similar, key=lambda other: (other.installs, other.star_count), default=None)


def _numbered(name: str, other: str) -> bool:
    return name != other and DIGITS.sub("0", name) == DIGITS.sub("0", other)


def slips(name: str) -> set[str]:
    """The likenesses of the name and of all names one slip away: a letter left out, put in, changed
    or swapped with its neighbour, or two words swapped."""
    unchanged = likeness(name)
    words = name.split("-")
    return {
        unchanged,
        *_swapped(words),
        *(_misspelled(unchanged) if len(unchanged) >= SHORT else ()),
    }


def _swapped(words: list[str]) -> Iterator[str]:
    for first, second in combinations(range(len(words)), 2):
        order = list(words)
        order[first], order[second] = order[second], order[first]
        yield likeness("-".join(order))


def _misspelled(text: str) -> Iterator[str]:
    for position in range(len(text) + 1):
        before, after = text[:position], text[position:]
        for letter in LETTERS:
            yield before + letter + after
            if after:
                yield before + letter + after[1:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
