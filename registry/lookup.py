"""Fetch the object that an address names, for pages and API; raises NotFound where there is none.

`check` raises where the actor may not do what the address is for: pages pass
`permissions.require`, the API its view's permission classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from envyard.contract.names import BadName, canonical_version, normalise
from registry.accounts.models import Organisation, Owner, Token
from registry.accounts.permissions import Actor, can
from registry.catalog.models import Environment, EnvironmentQuerySet, Version
from registry.catalog.transfer import moved_to
from registry.errors import NotFound
from registry.runs.models import Run
from registry.self_reported.models import Evaluation

T = TypeVar("T", Environment, Version, Run, Evaluation, Organisation)
Check = Callable[[Any], object]
# With the data of a summary: facts and READMEs may have hundreds of kilobytes.
RUNS = Run.objects.select_related("version__environment__owner", "runner", "suite").defer(
    "facts", "version__readme"
)


def owner(name: str) -> Owner:
    """The person or organisation of that name; names of owners are no secret."""
    row = Owner.objects.select_related("organisation", "user").filter(name=name.lower()).first()
    if row is None:
        raise NotFound(f"there is no owner {name[:40]!r}")
    return row


def organisation(name: str, *, check: Check) -> Organisation:
    """The organisation of that name, with its owner row."""
    rows = Organisation.objects.select_related("owner")
    row = rows.filter(owner__name=name.lower()).first()
    if row is None:
        raise NotFound(f"there is no organisation {name[:40]!r}")
    return _checked(row, check)


def environment(
    owner: str, name: str, *, check: Check, rows: EnvironmentQuerySet | None = None
) -> Environment:
    """The environment in any spelling of its name, from `rows` or those with a summary's fields."""
    rows = Environment.objects.for_summary() if rows is None else rows
    row = rows.filter(owner__name=owner.lower(), name=normalise(name)).first()
    if row is not None and row.latest is not None:
        row.latest.environment = row  # else the first use of it loads it again
    return _checked(row, check)


def version(owner: str, name: str, number: str, *, check: Check) -> Version:
    """The version in any PEP 440 spelling, with environment, owner, uploader and provenance."""
    try:
        canonical = canonical_version(number)
    except BadName:
        raise NotFound from None
    rows = Version.objects.select_related("environment__owner", "uploaded_by", "provenance")
    rows = rows.defer("provenance__document")
    rows = rows.filter(environment__owner__name=owner.lower(), environment__name=normalise(name))
    row = rows.filter(version=canonical).first()
    if row is not None and row.environment.latest_id == row.pk:
        row.environment.latest = row
    return _checked(row, check)


def run(pk: UUID, *, check: Check) -> Run:
    """The run or shard with version, environment, owner and runner."""
    rows = Run.with_shards.select_related("version__environment__owner", "runner", "suite")
    return _checked(rows.filter(pk=pk).first(), check)


def evaluation(pk: UUID, *, check: Check) -> Evaluation:
    """The pushed evaluation with all that a summary shows."""
    return _checked(Evaluation.objects.for_summary().filter(pk=pk).first(), check)


def moved(owner: str, name: str, actor: Actor, token: Token | None = None) -> Environment | None:
    """The environment that had this name before, where the actor may see it."""
    row = moved_to(owner=owner, name=name)
    return row if row is not None and can(actor, "environment.see", row, token) else None


def _checked(row: T | None, check: Check) -> T:
    if row is None:
        raise NotFound
    check(row)
    return row
