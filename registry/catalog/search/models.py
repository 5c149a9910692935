"""What search reads: one row an environment, and the words that names are made of.

Both are derived: `documents.write` keeps them, `manage.py rebuild_search` makes them anew.
"""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Q, QuerySet

from registry.accounts.models import Owner, Token
from registry.accounts.permissions import Actor, member_rows
from registry.catalog.models import Environment


class DocumentQuerySet(QuerySet["SearchDocument"]):
    """What search reads of environments."""

    def listed_to(self, actor: Actor, token: Token | None = None) -> Self:
        """The catalogue, as far as this person may see it through this token."""
        return self.filter(Q(visibility="public") | _member_rows(actor, token), listed=True)

    def private_to(self, actor: Actor, token: Token | None = None) -> Self:
        """The private ones of these."""
        return self.filter(_member_rows(actor, token), listed=True, visibility="private")


def _member_rows(actor: Actor, token: Token | None) -> Q:
    return member_rows(actor, token, owner="owner_id", environment="pk")


class SearchDocument(models.Model):
    """An environment as search and its facets see it.

    The texts hold words as `text.words` makes them, and `marks` the facets' values as
    `facets.mark` does. `place` orders documents by how much they are used, in steps of two: see
    `documents.place`. Each database keeps an index of its own beside this table, which the
    migration and `rebuild_search` install.
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
    """A word of some name, owner or tag: what a misspelled word is compared with."""

    word = models.CharField(max_length=60, unique=True)

    def __str__(self) -> str:
        return self.word
