"""Transfer an environment to another owner; its former name redirects for ever."""

from __future__ import annotations

from django.db import transaction

from envyard.contract.names import normalise
from registry import events
from registry.accounts import owner_notices
from registry.accounts.models import Owner, User
from registry.catalog import naming
from registry.catalog.changes import index_changed
from registry.catalog.models import Environment
from registry.catalog.related_models import FormerName, UsedFilename
from registry.errors import HubError, Stale
from registry.quotas import services as quotas


def transfer(*, environment: Environment, to: Owner, by: User) -> None:
    """Give it to another owner, with its versions, stars and file names.

    Callers have checked `environment.transfer`, and `owner.publish` there. Its secrets are deleted
    and its hosts need approval again: both were meant for the former owner's versions. Tokens that
    are limited to it stay with their users, who may do what their role there allows.
    """
    before = environment.owner
    if before == to:
        raise HubError("request.conflict", f"{environment} is under {to} already", status=409)
    with transaction.atomic():
        quotas.lock(before, to)
        # The lock order of all code that adds a name: the owner's row, then the environment's. The
        # latter without `no_key`: its owner is part of a key, so rows that refer to it must wait.
        owners = Owner.objects.select_for_update(no_key=True).filter(pk__in=(before.pk, to.pk))
        list(owners.order_by("pk"))
        rows = Environment.objects.select_for_update()
        if not rows.filter(pk=environment.pk, owner=before, deleted_at=None).exists():
            raise Stale(f"{environment} is not under {before} any more")
        quotas.check_transfer(environment=environment.pk, to=to)
        naming.check_similar(owner=to, name=environment.name, by=by, but=environment)
        _notify_owners(environment, before, to, by)
        index_changed(environment)
        events.record("environment.transferred", by=by, environment=environment, to=to.name)
        environment.secrets.all().delete()
        environment.hosts.update(approved_at=None, approved_by=None)
        _rename(environment, before, to)
        events.record("environment.received", by=by, environment=environment, was=before.name)
        index_changed(environment)


def _notify_owners(environment: Environment, before: Owner, to: Owner, by: User) -> None:
    """Mail the owners on both sides where staff transfer what is not theirs."""
    losing = owner_notices.to_notify(before, by=by)
    if losing:
        change = f"{environment} went from {before} to {to}."
        owner_notices.send(people=losing, owner=before, by=by, change=change)
        receiving = owner_notices.to_notify(to, by=by)
        owner_notices.send(people=receiving, owner=to, by=by, change=change)


def _rename(environment: Environment, before: Owner, to: Owner) -> None:
    FormerName.objects.filter(owner=to, environment=environment).delete()  # it returns there
    FormerName.objects.create(owner=before, name=environment.name, environment=environment)
    Environment.objects.filter(pk=environment.pk).update(owner=to)
    environment.owner = to
    # The file names are taken under both owners: neither may ever have another wheel there.
    files = environment.versions.values_list("filename", "sha256")
    UsedFilename.objects.bulk_create(
        [UsedFilename(owner=to, filename=name, sha256=sha256) for name, sha256 in files],
        ignore_conflicts=True,
    )


def moved_to(*, owner: str, name: str) -> Environment | None:
    """The environment that was owner/name before a transfer; check permissions on it."""
    former = FormerName.objects.select_related("environment__owner")
    row = former.filter(owner__name=owner.lower(), name=normalise(name)).first()
    return row.environment if row else None
