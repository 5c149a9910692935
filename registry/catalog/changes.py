"""The outbox of the simple index: the pages whose content may have changed."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from registry import dispatch
from registry.accounts.models import Owner
from registry.catalog.models import Environment
from registry.catalog.search import documents


class IndexChange(models.Model):
    """A page that must be written or removed; `index.writer` deletes the row when that is done.

    The name is empty for the owner's root. Primary keys never return, and those of one environment
    are in the order of its changes.
    """

    owner = models.ForeignKey(Owner, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"#{self.pk} {self.owner.name}/{self.name}"


def index_changed(environment: Environment) -> None:
    """Update index and search after a change of the environment; call it in that transaction.

    Such changes are: listed versions and their overlays, visibility, quarantine, deprecation,
    deletion. Where owner or name change, call it once before and once after. The lock keeps the
    serials of simultaneous changes in the order of their commits.
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
