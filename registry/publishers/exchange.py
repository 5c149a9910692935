"""An identity token becomes one of ours, which publishes what its publishers may."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from registry.accounts import permissions, token_format, tokens
from registry.accounts.models import Owner, Token
from registry.catalog.models import Environment
from registry.catalog.services import get_or_create_environment
from registry.errors import HubError
from registry.publishers import identity, matching, publisher_tokens
from registry.publishers.identity import Identity
from registry.publishers.models import TrustedPublisher, UsedJti

LIFE = timedelta(minutes=15)
MARGIN = timedelta(minutes=5)  # an id is kept so much longer than its token could be accepted
FEW = 20  # publishers that are read at once
# Whom the roles let publish there; `permissions` has the last word.
POWER = Exists(
    Owner.objects.filter(
        Q(user=OuterRef("added_by"))
        | Q(
            organisation__memberships__user=OuterRef("added_by"),
            organisation__memberships__role__in=permissions.PUBLISHERS,
        ),
        pk=Coalesce(OuterRef("environment__owner"), OuterRef("owner")),
    )
)
ALL = Q()
ROWS = TrustedPublisher.objects.select_related("environment__owner", "owner", "added_by")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Minted:
    """The text of the new token and its end."""

    text: str
    expires_at: datetime


def mint(*, identity_token: str) -> Minted:
    """Exchange an identity token, once, for a token that publishes for a quarter of an hour.

    It acts for the people who added the matching publishers, and never for one who may not publish
    there any more. However many they are, one of them stands for all until `reach` is asked for
    another: what strangers add costs nobody time. Raises 422, saying what the identity token is.
    """
    who = identity.verify(identity_token, audience=settings.HUB_URL)
    with transaction.atomic():
        _claim(who)
        grant = next((g for p in _candidates(who) if (g := _grant(who, p))), None)
        if grant is None:
            raise _nobody(who)
        text, expires_at = publisher_tokens.mint(grant=grant, claims=who.claims, life=LIFE)
    return Minted(text, expires_at)


def verify(text: str) -> Token | None:
    """The usable token of that text; a workflow's outlives the publisher that it was minted for,
    who may be a stranger to all the others."""
    found, digest = tokens.verify(text), token_format.digest(text, tokens.PREFIX)
    return _next(digest) if found is None and digest else found


def reach(*, token: Token, owner: Owner, name: str) -> Token:
    """The workflow's token as good for that environment, which counts as a use of the publisher;
    as it is where it is a person's own, or no publisher there lets it."""
    if not token.claims:
        return token
    who = _identity(token)
    with transaction.atomic():
        if publisher_tokens.hold(token.digest) is None:
            return token
        for publisher in _of(owner, name):
            fits = (publisher.kind, publisher.issuer) == (who.kind, who.issuer)
            if not (fits and matching.matches(publisher, who.claims) and _empowered(publisher)):
                continue
            if grant := _grant(who, publisher):
                _settle(publisher, grant.environment, matching.pinned(publisher, who.claims))
                found = publisher_tokens.extend(token=token, grant=grant)
                return found if found.usable else token
    return token


def is_shared(token: Token) -> bool:
    """Does the token act for other people too, each in an environment of their own?"""
    if not token.claims:
        return False
    others = ~Q(added_by=token.user_id)
    return next(_candidates(_identity(token), others), None) is not None


def _next(digest: str) -> Token | None:
    with transaction.atomic():
        token = publisher_tokens.hold(digest)
        if token is None:
            return None
        who = _identity(token)
        grants = (g for p in _candidates(who) if (g := _grant(who, p)))
        rows = (publisher_tokens.extend(token=token, grant=grant) for grant in grants)
        return next((row for row in rows if row.usable), None)


def _identity(token: Token) -> Identity:
    """What the issuer said when the token was minted."""
    said, end = token.published_with, cast("datetime", token.expires_at)
    return Identity(said["issuer"], said["kind"], "", end, token.claims)


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


def _candidates(who: Identity, among: Q = ALL) -> Iterator[TrustedPublisher]:
    """The publishers that the identity is, whose people may publish there; few are read at once,
    since who asks takes the first."""
    rows = ROWS.filter(among, POWER, kind=who.kind, issuer=who.issuer).order_by("pk")
    for key in matching.keys(who.kind, who.issuer, who.claims):
        after = 0
        while some := list(rows.filter(key=key, pk__gt=after)[:FEW]):
            after = some[-1].pk
            for publisher in some:
                if matching.matches(publisher, who.claims) and _empowered(publisher):
                    yield publisher


def _of(owner: Owner, name: str) -> Iterator[TrustedPublisher]:
    """The publishers of an environment, and those that wait for it."""
    yield from ROWS.filter(environment__owner=owner, environment__name=name).order_by("pk")
    yield from ROWS.filter(owner=owner, name=name).order_by("pk")


def _grant(who: Identity, publisher: TrustedPublisher) -> publisher_tokens.Grant | None:
    """What it may publish; None where a pending one waits for a name that cannot be had."""
    environment = publisher.environment or _make(publisher)
    if environment is None:
        return None
    return publisher_tokens.Grant(
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
    here = Q(environment=environment) | Q(owner=environment.owner, name=environment.name)
    twins = TrustedPublisher.objects.filter(
        here, Q(claims=claims) | Q(claims=unpinned), issuer=publisher.issuer
    )
    twins.exclude(pk=publisher.pk).delete()
    TrustedPublisher.objects.filter(pk=publisher.pk).update(
        environment=environment,
        owner=None,
        name="",
        claims=claims,
        key=matching.key(publisher.kind, publisher.subject, claims),
        last_used_at=timezone.now(),
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
