"""The outbox of the index: which of its pages may say something else than before."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from registry import dispatch
from registry.accounts.models import Owner
from registry.catalog.models import Environment
from registry.catalog.search import documents


class IndexChange(models.Model):
    """A page has to be written anew, or to go; the writer deletes the row with that.

    Of the owner's root the name is empty. Numbers never return, and of one environment they come
    in the order of its changes.
    """

    owner = models.ForeignKey(Owner, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"#{self.pk} {self.owner.name}/{self.name}"


def index_changed(environment: Environment) -> None:
    """What the index or search says of the environment changes: call it in that transaction.

    That is: its listed versions and their overlays, visibility, quarantine, deprecation, deletion.
    Where it moves to another owner or name, call it once before and once after. The lock keeps
    the numbers of two changes at once in the order of their commits.
    """
    Environment.objects.select_for_update(no_key=True).values("pk").get(pk=environment.pk)
    change, _ = IndexChange.objects.bulk_create(
        IndexChange(owner_id=environment.owner_id, name=name) for name in (environment.name, "")
    )
    environment.index_serial = change.pk
    environment.updated_at = timezone.now()
    Environment.objects.filter(pk=environment.pk).update(
        index_serial=environment.index_serial, updated_at=environment.updated_at
    )
    documents.write(environment)
    dispatch.enqueue_after_commit(dispatch.PUBLISH)
