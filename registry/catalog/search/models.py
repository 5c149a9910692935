"""The tables of search: one document per environment, and the words that names consist of.

Both are derived: `documents.write` updates them, `manage.py rebuild_search` rebuilds them.
"""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Q, QuerySet

from registry.accounts.models import Owner, Token
from registry.accounts.permissions import Actor, member_rows
from registry.catalog.models import Environment


class DocumentQuerySet(QuerySet["SearchDocument"]):
    """Search documents."""

    def listed_to(self, actor: Actor, token: Token | None = None) -> Self:
        """The catalogue, as far as the actor may see it through this token."""
        return self.filter(Q(visibility="public") | _member_rows(actor, token), listed=True)

    def private_to(self, actor: Actor, token: Token | None = None) -> Self:
        """The private ones of these."""
        return self.filter(_member_rows(actor, token), listed=True, visibility="private")


def _member_rows(actor: Actor, token: Token | None) -> Q:
    return member_rows(actor, token, owner="owner_id", environment="pk")


class SearchDocument(models.Model):
    """An environment as search and its facets see it.

    The texts hold words as `text.words` makes them, and `marks` the values of facets as
    `facets.mark` does. `place` orders documents by usage: see `documents.place`. Each database has
    an index of its own besides this table, which the migration and `rebuild_search` install.
    """

    environment = models.OneToOneField(
        Environment, primary_key=True, on_delete=models.CASCADE, related_name="document"
    )
    owner = models.ForeignKey(Owner, on_delete=models.CASCADE, related_name="+")
    place = models.BigIntegerField(unique=True)
    listed = models.BooleanField()
    visibility = models.CharField(max_length=8)
    marks = models.TextField()

    name = models.TextField()
    owner_name = models.TextField()
    tags = models.TextField()
    summary = models.TextField()
    readme = models.TextField()

    objects = DocumentQuerySet.as_manager()

    def __str__(self) -> str:
        return str(self.environment)


class SearchWord(models.Model):
    """A word of some name, owner or tag: misspelled words are compared with these."""

    word = models.CharField(max_length=60, unique=True)

    def __str__(self) -> str:
        return self.word
