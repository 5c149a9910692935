"""Create and change environments. Callers have checked permissions.

Changes of one environment lock its row. Code that changes rows of its versions too calls `lock`
first: the other order would deadlock.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from packaging.version import Version as Pep440

from registry import events, prepared
from registry.accounts.models import Owner, User
from registry.catalog import naming
from registry.catalog.changes import index_changed
from registry.catalog.models import Environment, Tag, Version
from registry.catalog.search import documents
from registry.errors import HubError

MAX_TAGS = 20
_OWNER, _NAME = -1, "the environment's name"  # placeholders of the prepared query


def get_or_create_environment(
    *, owner: Owner, name: str, visibility: str | None = None, by: User
) -> tuple[Environment, bool]:
    """The environment of that name in any spelling, and whether it is new; a deleted one revives.

    Inside a transaction its row stays locked. Raises where a visibility is given and the existing
    one differs: a wheel that was pushed as `private` must not become public.
    """
    normal = naming.normal(name)
    if visibility is not None:
        _check_visibility(visibility)
    with transaction.atomic():
        environment = locked(owner, normal)
        if environment is None:
            Owner.objects.select_for_update(no_key=True).get(pk=owner.pk)
            environment = locked(owner, normal)
        created = environment is None
        if environment is None:
            environment = _create(owner, normal, visibility, by)
        elif environment.deleted_at is not None:
            _revive(environment, visibility, by)
    if visibility is not None and environment.visibility != visibility:
        raise HubError(
            "request.conflict",
            f"{environment} exists and is {environment.visibility}, not {visibility}",
            "Change its visibility first, or leave the option out.",
            409,
        )
    return environment, created


def locked(owner: Owner, name: str) -> Environment | None:
    """The environment of that normal name, deleted or not, locked; call it in a transaction."""
    environment = next(iter(prepared.rows(_locked, {_OWNER: owner.pk, _NAME: name})), None)
    if environment is not None:
        environment.owner = owner
    return environment


def _locked() -> QuerySet[Environment, Environment]:
    rows = Environment.objects.select_for_update(no_key=True)
    return rows.filter(owner=_OWNER, name=_NAME)


def _create(owner: Owner, name: str, visibility: str | None, by: User) -> Environment:
    naming.check_new(owner=owner, name=name, by=by)
    environment = Environment.objects.create(
        owner=owner, name=name, visibility=visibility or Environment.Visibility.PUBLIC
    )
    events.record(
        "environment.created", by=by, environment=environment, visibility=environment.visibility
    )
    documents.write(environment)
    return environment


def _revive(environment: Environment, visibility: str | None, by: User) -> None:
    """Undo the deletion; its versions stay deleted, and new ones need new numbers."""
    environment.deleted_at = None
    environment.visibility = visibility or environment.visibility
    environment.save(update_fields=("deleted_at", "visibility", "updated_at"))
    documents.write(environment)
    events.record(
        "environment.revived", by=by, environment=environment, visibility=environment.visibility
    )


def set_visibility(*, environment: Environment, visibility: str, by: User) -> None:
    """Make the environment and all its versions public or private."""
    _check_visibility(visibility)
    with transaction.atomic():
        changed = (
            Environment.objects.filter(pk=environment.pk, deleted_at=None)
            .exclude(visibility=visibility)
            .update(visibility=visibility, updated_at=timezone.now())
        )
        if changed:
            events.record(f"environment.{visibility}", by=by, environment=environment)
            index_changed(environment)
    environment.visibility = visibility


def lock(environment: Environment) -> None:
    """Block other changes of this environment and its versions until the transaction ends.

    Rows that only refer to it (stars, events, runs) are not blocked.
    """
    Environment.objects.select_for_update(no_key=True).get(pk=environment.pk)


def refresh_latest(environment: Environment) -> None:
    """Recompute `latest` and the columns derived from it; call it in the transaction of the change.

    It is the newest final release, or the newest pre-release where there is no final one, as
    installers choose.
    """
    lock(environment)
    columns = ("version", "summary", "keywords", "listed_at", "learnability")
    current = environment.versions.current().only(*columns)
    latest = max(current, key=_preference, default=None)
    environment.latest = latest
    environment.summary = latest.summary if latest else environment.summary
    environment.fresh_at = (latest and latest.listed_at) or environment.created_at
    environment.learnability = _sortable(latest)
    environment.save(update_fields=("latest", "summary", "fresh_at", "learnability", "updated_at"))
    if latest is not None:
        names = sorted({str(word).lower()[:40] for word in latest.keywords if word})[:MAX_TAGS]
        Tag.objects.bulk_create([Tag(name=name) for name in names], ignore_conflicts=True)
        environment.tags.set(Tag.objects.filter(name__in=names))
    index_changed(environment)


def store_learnability(
    version: Version, *, learnability: float | None, difficulty: str, facets: dict[str, Any]
) -> None:
    """Store what the card says of its model, and its values of facets, with the version, and with
    the environment that shows this version; the search index has the facets."""
    version.learnability, version.difficulty = learnability, difficulty
    version.facets = facets
    values = {"learnability": learnability, "difficulty": difficulty, "facets": facets}
    Version.objects.filter(pk=version.pk).update(**values)
    shown = Environment.objects.filter(latest=version)
    if shown.update(learnability=_sortable(version)):
        documents.write(shown.get())


def _sortable(version: Version | None) -> float:
    """The version's learnability, -1 where it has none."""
    return -1.0 if version is None or version.learnability is None else version.learnability


def _preference(version: Version) -> tuple[bool, Pep440]:
    parsed = Pep440(version.version)
    return not parsed.is_prerelease, parsed


def _check_visibility(visibility: str) -> None:
    if visibility not in Environment.Visibility.values:
        words = " or ".join(Environment.Visibility.values)
        raise HubError("request.invalid", f"visibility {visibility!r} must be {words}")
