"""Filters on evaluations; what `permissions` says in Python stands here in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db.models import Q, QuerySet

from registry.accounts.models import Token, User
from registry.accounts.permissions import Actor
from registry.catalog.queries import environments_visible_to

if TYPE_CHECKING:
    from registry.self_reported.models import Evaluation  # noqa: F401 - named in a string


class EvaluationQuerySet(QuerySet["Evaluation"]):
    """Evaluations."""

    def visible_to(self, who: Actor, token: Token | None = None) -> Self:
        """Those for which `can(who, "evaluation.see", ...)` holds."""
        seen = self.filter(environment__in=environments_visible_to(who, token))
        if not isinstance(who, User) or not who.is_active:
            return seen.filter(is_public=True)
        if who.is_staff and (token is None or token.scope == Token.Scope.ADMIN):
            return seen
        own = Q(owner_id__in=who.roles)
        if token is not None and token.environment_id is not None:
            own &= Q(environment_id=token.environment_id)
        return seen.filter(own | Q(is_public=True))

    def for_summary(self) -> Self:
        """With all that a summary shows."""
        return self.select_related("environment__owner", "version", "owner", "created_by")
