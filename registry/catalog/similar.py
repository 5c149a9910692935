"""Warn where a name is easily taken for that of an older environment of another owner.

Nothing is compared row by row: all likenesses that one slip away from the name would have are
looked up in the index over likenesses. That is up to some 7,000 for the longest name, however
many environments the hub has.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from itertools import combinations

from envyard.contract.findings import Finding, finding
from registry.catalog.likeness import SEEN_AS, likeness
from registry.catalog.models import Environment

LETTERS = sorted({SEEN_AS.get(letter, letter) for letter in string.ascii_lowercase + string.digits})
SHORT = 5  # below this many letters most names are one slip away from another
AT_ONCE = 900  # values in one query
MOST = 20  # of its answers that are looked at
DIGITS = re.compile(r"\d+")


def name_findings(environment: Environment) -> list[Finding]:
    """A warning that names the most installed environment it may be taken for, or nothing."""
    found = resembled(environment)
    if found is None:
        return []
    return [
        finding(
            "name.similar",
            f"{environment.name!r} is easily taken for {found}",
            resembles=str(found),
        )
    ]


def resembled(environment: Environment) -> Environment | None:
    """The most installed public environment that another owner listed earlier under a name like
    this one. Names that differ in their numbers alone are no slip: `aime-2024`, `aime-2025`."""
    older = Environment.objects.listed().filter(
        visibility=Environment.Visibility.PUBLIC, created_at__lt=environment.created_at
    )
    others = older.exclude(owner=environment.owner_id).select_related("owner")
    found: list[Environment] = []
    likely = sorted(slips(environment.name))
    for start in range(0, len(likely), AT_ONCE):
        alike = others.filter(likeness__in=likely[start : start + AT_ONCE])
        found += alike.order_by("-installs", "-star_count", "pk")[:MOST]
    known = [other for other in found if not _numbered(other.name, environment.name)]
    return max(known, key=lambda other: (other.installs, other.star_count), default=None)


def _numbered(one: str, other: str) -> bool:
    return one != other and DIGITS.sub("0", one) == DIGITS.sub("0", other)


def slips(name: str) -> set[str]:
    """The likenesses of the name and of all that one slip makes of it: a letter left out, put in,
    changed or swapped with its neighbour, or two words swapped."""
    seen = likeness(name)
    words = name.split("-")
    return {seen, *_swapped(words), *(_typed(seen) if len(seen) >= SHORT else ())}


def _swapped(words: list[str]) -> Iterator[str]:
    for first, second in combinations(range(len(words)), 2):
        order = list(words)
        order[first], order[second] = order[second], order[first]
        yield likeness("-".join(order))


def _typed(seen: str) -> Iterator[str]:
    for place in range(len(seen) + 1):
        before, after = seen[:place], seen[place:]
        for letter in LETTERS:
            yield before + letter + after
            if after:
                yield before + letter + after[1:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
