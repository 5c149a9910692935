"""Descendants of tokens: tokens made with a token, directly or not, are revoked with it.

A holder of a leaked token could otherwise keep access through a second one that it made. As in
HashiCorp Vault (token hierarchies), revoking a parent revokes its descendants.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import QuerySet

from registry import events
from registry.accounts.models import Token

PARENT_REVOKED = "the token that made it was revoked"


def end_descendants(parents: Iterable[int], *, now: datetime, because: str) -> list[Token]:
    """Revoke all usable and expired descendants of those rows; call it inside a transaction, after
    the parents were revoked, so that `lock_parent` refuses tokens that are made at the same
    time."""
    ended: list[Token] = []
    level = list(parents)
    while level:
        children = Token.objects.filter(parent__in=level)
        unrevoked = list(_rows(children.filter(revoked_at=None)))
        level = list(children.values_list("pk", flat=True))
        for token in unrevoked:
            change = {"revoked_at": now, "revoked_because": because, "claims": {}}
            if Token.objects.filter(pk=token.pk, revoked_at=None).update(**change):
                events.record(
                    "token.revoked",
                    owner=getattr(token.user, "owner", None),  # as in `tokens.mint`
                    environment=token.environment,
                    token=token.public_id,
                    because=because,
                )
                ended.append(token)
    return ended


def _rows(children: QuerySet[Token]) -> QuerySet[Token]:
    rows = children.select_related("user__owner", "environment__owner")
    return rows.select_for_update(of=("self",)).order_by("pk")


def descendants(token: Token) -> list[Token]:
    """The usable tokens that would end with this one, nearest first."""
    usable: list[Token] = []
    level = [token.pk]
    while level:
        children = list(Token.objects.filter(parent__in=level).order_by("pk"))
        usable += [child for child in children if child.usable]
        level = [child.pk for child in children]
    return usable


def lock_parent(parent: Token) -> Token:
    """The current row, locked until the transaction ends: its revocation waits that long."""
    return Token.objects.select_for_update().get(pk=parent.pk)
