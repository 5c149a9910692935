"""Trusted publishers: add, remove, and exchange an identity token for one of ours."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from envyard.contract.names import BadName, check_name
from registry import events
from registry.accounts import permissions, short_lived
from registry.accounts.models import Owner, User
from registry.catalog.models import Environment
from registry.catalog.services import get_or_create_environment
from registry.errors import HubError, NotFound
from registry.publishers import identity, matching
from registry.publishers.identity import Identity
from registry.publishers.models import TrustedPublisher, UsedJti

LIFE = timedelta(minutes=15)
MARGIN = timedelta(minutes=5)  # an id is kept so much longer than its token could be accepted
MOST = 50  # publishers of one environment, and pending ones of one owner
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Minted:
    """The text of the new token, its end, and the environments that it may publish."""

    text: str
    expires_at: datetime
    environments: tuple[str, ...]


def add(
    *,
    to: Environment | Owner,
    name: str = "",
    kind: str,
    issuer: str = "",
    fields: Mapping[str, str],
    by: User,
) -> TrustedPublisher:
    """Let that identity publish the environment; under an Owner, the one that `name` will be.

    Without an issuer it is the one trusted issuer of that kind.
    """
    issuer = _issuer(kind, issuer)
    subject, claims = matching.wanted(kind, fields)
    place: dict[str, Any] = {"environment": to}
    if isinstance(to, Owner):
        place = {"owner": to, "name": _name(name)}
    there = {key: value for key, value in place.items() if key != "name"}
    if TrustedPublisher.objects.filter(**there).count() >= MOST:
        raise HubError(
            "request.conflict", f"{to} has {MOST} trusted publishers already", status=409
        )
    try:
        with transaction.atomic():
            made = TrustedPublisher.objects.create(
                **place, kind=kind, issuer=issuer, subject=subject, claims=claims, added_by=by
            )
            _record("publisher.added", made, by)
    except IntegrityError:
        raise HubError(
            "request.conflict", f"{to} has this trusted publisher already", "Nothing to do.", 409
        ) from None
    return made


def remove(*, publisher: TrustedPublisher, by: User) -> None:
    """Take the permission back; tokens that it holds right now end with it."""
    with transaction.atomic():
        _record("publisher.removed", publisher, by)
        if publisher.environment is not None:
            short_lived.revoke(
                environment=publisher.environment,
                user=publisher.added_by,
                because="its trusted publisher was removed",
            )
        publisher.delete()


def mint(*, identity_token: str) -> Minted:
    """Exchange an identity token, once, for a token that publishes for a quarter of an hour.

    It acts for the people who added the matching publishers, and never for one who may not publish
    there any more. Raises 422, saying what the identity token is.
    """
    who = identity.verify(identity_token, audience=settings.HUB_URL)
    with transaction.atomic():
        _claim(who)
        grants = list(_grants(who))
        if not grants:
            raise _nobody(who)
        text, expires_at = short_lived.mint(grants=grants, life=LIFE)
    return Minted(text, expires_at, tuple(str(grant.environment) for grant in grants))


def _claim(who: Identity) -> None:
    """Use the token's id up. The row's constraint decides, so that of two exchanges at once one
    fails; it stays until after the last moment at which `verify` would let the token pass."""
    UsedJti.objects.filter(kept_until__lt=timezone.now()).delete()
    until = who.expires_at + identity.LEEWAY + MARGIN
    try:
        with transaction.atomic():
            UsedJti.objects.create(issuer=who.issuer, jti=who.jti, kept_until=until)
    except IntegrityError:
        raise HubError("publisher.token_used", status=422) from None


def _grants(who: Identity) -> Iterator[short_lived.Grant]:
    rows = TrustedPublisher.objects.filter(
        kind=who.kind, issuer=who.issuer, subject=matching.subject(who.kind, who.claims)
    )
    related = ("environment__owner", "owner", "added_by")
    granted = set()
    for publisher in rows.select_related(*related).order_by("pk"):
        if not matching.matches(publisher, who.claims) or not _empowered(publisher):
            continue
        environment = publisher.environment or _make(publisher)
        if environment is None or environment.pk in granted:
            continue
        granted.add(environment.pk)
        _settle(publisher, environment, matching.pinned(publisher, who.claims))
        yield short_lived.Grant(
            user=publisher.added_by,
            environment=environment,
            name=f"trusted publisher {publisher.subject}"[:80],
            published_with=matching.published_with(publisher, who.claims),
        )


def _empowered(publisher: TrustedPublisher) -> bool:
    """May the person who added it still publish there?"""
    if publisher.environment is not None:
        return permissions.can(publisher.added_by, "environment.publish", publisher.environment)
    return permissions.can(publisher.added_by, "owner.publish", publisher.under)


def _make(publisher: TrustedPublisher) -> Environment | None:
    """The environment that a pending publisher waited for; None where its name cannot be had."""
    try:
        environment, _ = get_or_create_environment(
            owner=publisher.under, name=publisher.name, by=publisher.added_by
        )
    except HubError as refused:
        log.warning("pending publisher of %s is of no use: %s", publisher, refused.message)
        return None
    return environment


def _settle(publisher: TrustedPublisher, environment: Environment, claims: dict[str, str]) -> None:
    """Note the use, the environment that it made and the account that it pins.

    Rows of the same identity give way: one that is not pinned would let the name's next owner in.
    """
    unpinned = {name: "" if name == "owner_id" else value for name, value in claims.items()}
    twins = TrustedPublisher.objects.filter(
        Q(claims=claims) | Q(claims=unpinned), environment=environment, issuer=publisher.issuer
    )
    twins.exclude(pk=publisher.pk).delete()
    TrustedPublisher.objects.filter(pk=publisher.pk).update(
        environment=environment, owner=None, name="", claims=claims, last_used_at=timezone.now()
    )


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


def _name(name: str) -> str:
    try:
        return check_name(name)
    except BadName as refused:
        raise HubError("metadata.bad_name", str(refused), details={"field": "name"}) from None


def _record(verb: str, publisher: TrustedPublisher, by: User) -> None:
    events.record(
        verb,
        by=by,
        owner=publisher.owner,
        environment=publisher.environment,
        name=publisher.name,
        issuer=publisher.issuer,
        claims=publisher.claims,
    )


def _nobody(who: Identity) -> HubError:
    """Says what the token is, which its sender knows, and nothing of the publishers there are."""
    names = ("sub", "repository", "job_workflow_ref", "project_path", "ci_config_ref_uri")
    said = ", ".join(
        f"{name} {who.claims[name]!r:.200}"
        for name in (*names, "environment")
        if name in who.claims
    )
    return HubError("publisher.no_match", f"no trusted publisher here is {said}", status=422)


def of_environment(environment: Environment, pk: int) -> TrustedPublisher:
    """One publisher of it; raises 404."""
    return _one(TrustedPublisher.objects.filter(environment=environment, pk=pk).first())


def of_owner(owner: Owner, pk: int) -> TrustedPublisher:
    """One pending publisher under that name; raises 404."""
    return _one(TrustedPublisher.objects.filter(owner=owner, pk=pk).first())


def _one(found: TrustedPublisher | None) -> TrustedPublisher:
    if found is None:
        raise NotFound("there is no such trusted publisher")
    return found
