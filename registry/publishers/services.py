"""Trusted publishers: add, find and remove."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from envyard.contract.names import BadName, check_name
from registry import events
from registry.accounts.models import Owner, Token, User
from registry.catalog import naming
from registry.catalog.models import Environment
from registry.errors import HubError, NotFound
from registry.publishers import matching, publisher_tokens
from registry.publishers.models import TrustedPublisher

MAX_PUBLISHERS = (
    50  # publishers of one environment, and pending ones of one owner or added by one person
)


def add(
    *,
    to: Environment | Owner,
    name: str = "",
    kind: str,
    issuer: str = "",
    fields: Mapping[str, str],
    by: User,
    token: Token | None = None,
) -> TrustedPublisher:
    """Let that identity publish the environment; under an Owner, the one that `name` will be.

    Without an issuer it is the one trusted issuer of that kind. `token` is the token of `by`.
    """
    issuer = _issuer(kind, issuer)
    subject, claims = matching.expected_claims(kind, fields)
    target: dict[str, Any] = {"environment": to}
    if isinstance(to, Owner):
        target = {"owner": to, "name": _name(to, name, by)}
    _check_room(to, by)
    try:
        with transaction.atomic():
            _check_new(target, kind=kind, issuer=issuer, subject=subject, claims=claims)
            publisher = TrustedPublisher.objects.create(
                **target,
                kind=kind,
                issuer=issuer,
                subject=subject,
                claims=claims,
                key=matching.key(kind, subject, claims),
                added_by=by,
                added_with=token,
            )
            _record("publisher.added", publisher, by)
    except IntegrityError:
        raise _duplicate(to) from None
    return publisher


def _check_new(
    target: dict[str, Any], *, kind: str, issuer: str, subject: str, claims: Mapping[str, str]
) -> None:
    """Refuse the same identity in other letter case, under a lock on what it would publish."""
    to = target.get("environment") or target["owner"]
    type(to)._default_manager.select_for_update(no_key=True).get(pk=to.pk)  # noqa: SLF001
    if kind == TrustedPublisher.Kind.OTHER:  # compared exactly, by the constraint
        return
    rows = TrustedPublisher.objects.filter(**target, kind=kind, issuer=issuer)
    if rows.filter(key=matching.key(kind, subject, claims)).exists():
        raise _duplicate(to)


def _duplicate(to: Environment | Owner) -> HubError:
    return HubError(
        "request.conflict", f"{to} has this trusted publisher already", "Nothing to do.", 409
    )


def _check_room(to: Environment | Owner, by: User) -> None:
    """Limit the publishers of one environment, and the pending ones of one owner and one user."""
    pending = isinstance(to, Owner)
    target = {"owner" if pending else "environment": to}
    if TrustedPublisher.objects.filter(**target).count() >= MAX_PUBLISHERS:
        raise HubError(
            "request.conflict", f"{to} has {MAX_PUBLISHERS} trusted publishers already", status=409
        )
    if (
        pending
        and TrustedPublisher.objects.filter(added_by=by, environment=None).count() >= MAX_PUBLISHERS
    ):
        raise HubError(
            "request.conflict",
            f"you have added {MAX_PUBLISHERS} publishers of environments that are not there yet",
            "Publish with some of them first, or remove some.",
            409,
        )


def remove(*, publisher: TrustedPublisher, by: User | None) -> None:
    """Remove the publisher; its valid tokens end with it. `by` None: the hub."""
    with transaction.atomic():
        _record("publisher.removed", publisher, by)
        if publisher.environment is not None:
            publisher_tokens.revoke(
                environment=publisher.environment,
                user=publisher.added_by,
                because="its trusted publisher was removed",
            )
        publisher.delete()


def _issuer(kind: str, issuer: str) -> str:
    trusted: dict[str, str] = settings.HUB_OIDC_ISSUERS
    issuer = issuer.strip().rstrip("/")
    fitting = [url for url, known in trusted.items() if known == kind and issuer in ("", url)]
    if len(fitting) != 1:
        known = ", ".join(f"{known} {url}" for url, known in trusted.items()) or "none"
        raise HubError(
            "publisher.unknown_issuer",
            f"kind {kind[:20]!r} and issuer {issuer[:200]!r} must name one trusted issuer: {known}",
            details={"field": "issuer" if issuer else "kind"},
        )
    return fitting[0]


def _name(owner: Owner, name: str, by: User) -> str:
    """The normal name of an environment that does not exist and that an upload could create."""
    try:
        normal = check_name(name)
    except BadName as refused:
        raise HubError("metadata.bad_name", str(refused), details={"field": "name"}) from None
    existing = Environment.objects.filter(owner=owner, name=normal).first()
    if existing is not None and existing.deleted_at is None:
        raise HubError(
            "request.conflict",
            f"name {normal!r}: {existing} exists, so no publisher can be pending for it",
            "Add the publisher in the settings of the environment.",
            409,
            {"field": "name"},
        )
    if existing is None:
        try:
            naming.check_allowed(owner=owner, name=normal, by=by)
        except HubError as refused:
            refused.details["field"] = "name"
            raise
    return normal


def listed(to: Environment | Owner) -> QuerySet[TrustedPublisher]:
    """Those of an environment, with the pending ones of its name, or the pending ones of an owner.

    A pending one becomes one of the environment with its first use, and may publish meanwhile.
    """
    if isinstance(to, Owner):
        rows = TrustedPublisher.objects.filter(owner=to)
    else:
        same_environment = Q(environment=to) | Q(owner=to.owner_id, name=to.name)
        rows = TrustedPublisher.objects.filter(same_environment)
    return rows.select_related("added_by", "environment__owner", "owner").order_by("pk")


def _record(verb: str, publisher: TrustedPublisher, by: User | None) -> None:
    events.record(
        verb,
        by=by,
        owner=publisher.owner,
        environment=publisher.environment,
        name=publisher.name,
        issuer=publisher.issuer,
        claims=publisher.claims,
    )


def of_environment(environment: Environment, pk: int) -> TrustedPublisher:
    """One publisher of it; raises 404."""
    return _or_not_found(listed(environment).filter(pk=pk).first())


def of_owner(owner: Owner, pk: int) -> TrustedPublisher:
    """One pending publisher under that name; raises 404."""
    return _or_not_found(TrustedPublisher.objects.filter(owner=owner, pk=pk).first())


def _or_not_found(row: TrustedPublisher | None) -> TrustedPublisher:
    if row is None:
        raise NotFound("there is no such trusted publisher")
    return row
