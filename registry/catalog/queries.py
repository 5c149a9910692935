"""Filters on environments and versions, to be chained; each says in SQL what `permissions` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db.models import Exists, OuterRef, Q, QuerySet

from registry.accounts.models import Token, User
from registry.accounts.permissions import Actor

if TYPE_CHECKING:
    from registry.catalog.models import Environment, Version  # noqa: F401 - named in strings
    from registry.catalog.search.models import SearchDocument  # noqa: F401


NOT_SUMMARISED = (
    *(f"latest__{name}" for name in ("readme", "requires_dist", "keywords", "links")),
    *("latest__published_with", "latest__card__measures"),
)


class VersionQuerySet(QuerySet["Version"]):
    """Versions."""

    def published(self) -> Self:
        """Listed and not deleted; yanked and quarantined ones included. The index shows these."""
        return self.filter(status="listed", deleted_at=None)

    def current(self) -> Self:
        """Published, not yanked, not quarantined: what catalogue, search and `latest` see."""
        return self.published().filter(yanked_at=None, quarantined_at=None)

    def installable(self) -> Self:
        """Published and not quarantined, yanked ones included: what an index offers."""
        return self.published().filter(quarantined_at=None, environment__quarantined_at=None)

    def visible_to(self, who: Actor, token: Token | None = None) -> Self:
        """Those for which `can(who, "version.see", ...)` holds."""
        public = Q(environment__visibility="public", status="listed")
        return self.filter(public | _own("environment__", who, token), deleted_at=None)

    def newest_first(self) -> Self:
        """In falling PEP 440 order."""
        return self.order_by("-sort_key", "-pk")


class EnvironmentQuerySet(QuerySet["Environment"]):
    """Environments."""

    def visible_to(self, who: Actor, token: Token | None = None) -> Self:
        """Those for which `can(who, "environment.see", ...)` holds."""
        public = Q(visibility="public") & (Q(latest__isnull=False) | Exists(_published()))
        return self.filter(public | _own("", who, token), deleted_at=None)

    def listed(self) -> Self:
        """Those with a current version, not quarantined: the catalogue."""
        return self.filter(latest__isnull=False, quarantined_at=None)

    def indexed(self) -> Self:
        """Those with a published version, yanked or not: what an owner's index names."""
        return self.filter(Exists(_published()))

    def belonging_to(self, user: User) -> Self:
        """Those under the person's own name or an organisation they are in."""
        return self.filter(owner_id__in=user.roles)

    def for_summary(self) -> Self:
        """With all that a summary shows, in two queries for any number of them."""
        rows = self.select_related("owner", "latest__card", "successor__owner")
        return rows.defer(*NOT_SUMMARISED).prefetch_related("tags")

    def for_page(self) -> Self:
        """The same with all that there is of the latest version."""
        return self.for_summary().defer(None)


class DocumentQuerySet(QuerySet["SearchDocument"]):
    """What search reads of environments."""

    def listed_to(self, who: Actor, token: Token | None = None) -> Self:
        """The catalogue, as far as this person may see it through this token."""
        return self.filter(Q(visibility="public") | _own("", who, token), listed=True)

    def private_to(self, who: Actor, token: Token | None = None) -> Self:
        """The private ones of these."""
        return self.filter(_own("", who, token), listed=True, visibility="private")


def environments_visible_to(who: Actor, token: Token | None = None) -> EnvironmentQuerySet:
    """All environments that this person may see through this token."""
    from registry.catalog.models import Environment

    return Environment.objects.visible_to(who, token)


def _published() -> VersionQuerySet:
    from registry.catalog.models import Version

    return Version.objects.published().filter(environment=OuterRef("pk"))


def _own(prefix: str, who: Actor, token: Token | None) -> Q:
    """What only members and staff see, as far as the token reaches."""
    if not isinstance(who, User) or not who.is_active:
        return Q(pk__in=())
    if who.is_staff and (token is None or token.scope == Token.Scope.ADMIN):
        own = ~Q(pk__in=())
    else:
        own = Q(**{f"{prefix}owner_id__in": who.roles})
    if token is not None and token.environment_id is not None:
        own &= Q(**{f"{prefix}pk": token.environment_id})
    return own
