"""Filters of environments and versions: by visibility, for the catalogue and for the index."""

from __future__ import annotations

from typing import Self, TypeVar

from django.db.models import Model, QuerySet

from registry.accounts import permissions
from registry.accounts.models import Token, User
from registry.accounts.permissions import Actor

M = TypeVar("M", bound=Model, covariant=True)

NOT_SUMMARISED = (
    *(f"latest__{name}" for name in ("readme", "requires_dist", "keywords", "links", "facets")),
    *("latest__published_with", "latest__card__measures", "latest__card__model_results"),
)
# What lists read: a row of all columns takes twice as long to load.
LISTED = (
    *("owner__name", "owner__organisation", "name", "visibility", "summary", "installs"),
    *("star_count", "learnability", "fresh_at", "created_at", "updated_at", "quarantined_at"),
    *("deprecated_at", "deprecation_reason", "successor", "latest__environment"),
    *("latest__version", "latest__listed_at", "latest__framework", "latest__api"),
    *("latest__learnability", "latest__difficulty", "latest__card__version"),
    *("latest__card__summary", "latest__card__scores"),
)


class VersionFilters(QuerySet[M]):
    """Of versions."""

    def published(self) -> Self:
        """Listed and not deleted; yanked and quarantined ones included."""
        return self.filter(status="listed", deleted_at=None)

    def current(self) -> Self:
        """Published, not yanked, not quarantined: those of catalogue, search and `latest`."""
        return self.published().filter(yanked_at=None, quarantined_at=None)

    def installable(self) -> Self:
        """Published and not quarantined, yanked ones included: the files of an index."""
        return self.published().filter(quarantined_at=None, environment__quarantined_at=None)

    def visible_to(self, actor: Actor, token: Token | None = None) -> Self:
        """Those for which `can(actor, "version.see", ...)` holds."""
        return self.filter(permissions.where("version.see", actor, token))

    def newest_first(self) -> Self:
        """In falling PEP 440 order."""
        return self.order_by("-sort_key", "-pk")


class EnvironmentFilters(QuerySet[M]):
    """Of environments."""

    def visible_to(self, actor: Actor, token: Token | None = None) -> Self:
        """Those for which `can(actor, "environment.see", ...)` holds."""
        return self.filter(permissions.where("environment.see", actor, token))

    def listed(self) -> Self:
        """Those with a current version, not quarantined: the catalogue."""
        return self.filter(latest__isnull=False, quarantined_at=None)

    def belonging_to(self, user: User) -> Self:
        """Those of the user and of the organisations the user is a member of."""
        return self.filter(owner_id__in=user.roles)

    def for_summary(self) -> Self:
        """With the data of a summary, in two queries for any number of rows, and two more where
        one has a successor."""
        rows = self.select_related("owner", "latest__card")
        return rows.defer(*NOT_SUMMARISED).prefetch_related("tags", "successor__owner")

    def for_list(self) -> Self:
        """The same with the columns alone that a list of summaries reads."""
        return self.for_summary().defer(None).only(*LISTED)

    def for_page(self) -> Self:
        """The same with all columns of the latest version, its uploader and provenance."""
        rows = self.for_summary().select_related("latest__uploaded_by", "latest__provenance")
        return rows.defer(None).defer("latest__provenance__document")
