"""What the catalogue is searched for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from envyard.contract.facets import FACETS
from registry.catalog.search.facets import mark

WITHIN = (7, 30, 90, 365)  # days since the latest version was listed


@dataclass(frozen=True, slots=True)
class CatalogSearch:
    """What to search for: words, and the value of each facet that is filtered by.

    `mine` searches what the actor belongs to, listed or not, in place of the catalogue. `within` is
    a number of days since the latest version was listed, one of WITHIN, 0 for any.
    """

    words: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    mine: bool = False
    within: int = 0

    @property
    def is_narrowed(self) -> bool:
        """There are words, a filter, a number of days or `mine`."""
        return bool(self.words or self.marks or self.mine or self.within)

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks that a document must have."""
        return tuple(
            mark(facet, value)
            for name, facet in FACETS.items()
            if (value := self.filters.get(name, ""))
        )

    def without(self, facet: str) -> CatalogSearch:
        """The same without the filter by that facet."""
        other_filters = {name: value for name, value in self.filters.items() if name != facet}
        return replace(self, filters=other_filters)
