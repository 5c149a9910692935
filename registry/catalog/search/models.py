"""What search reads: one row an environment, and the words that names are made of.

Both are derived: `documents.write` keeps them, `manage.py rebuild_search` makes them anew.
"""

from __future__ import annotations

from django.db import models

from registry.accounts.models import Owner
from registry.catalog.models import Environment
from registry.catalog.queries import DocumentQuerySet


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
