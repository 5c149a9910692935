"""Exchange an OIDC identity token for an API token that publishes for its trusted publishers."""

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
MARGIN = timedelta(minutes=5)  # ids are kept that much longer than their token is accepted
PAGE = 20  # publishers per query
# The user who added the publisher has a role that publishes there; `permissions` decides.
ADDER_PUBLISHES = Exists(
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

    It acts for the users who added the matching publishers, and never for one who may not publish
    there any more. At first it has a row for one of them only; `reach` adds the others on demand,
    so that publishers which strangers add cost no time. Raises 422 with the claims of the token.
    """
    caller = identity.verify(identity_token, audience=settings.HUB_URL)
    with transaction.atomic():
        _claim(caller)
        grant = next((g for p in _candidates(caller) if (g := _grant(caller, p))), None)
        if grant is None:
            raise _no_match(caller)
        text, expires_at = publisher_tokens.mint(grant=grant, claims=caller.claims, life=LIFE)
    return Minted(text, expires_at)


def verify(text: str) -> Token | None:
    """The usable token of that text; one of a workflow outlives the publisher of its first row, who
    may have nothing to do with the others."""
    token, digest = tokens.verify(text), token_format.digest(text, tokens.PREFIX)
    return _next(digest) if token is None and digest else token


def reach(*, token: Token, owner: Owner, name: str) -> Token:
    """The row of the workflow's token for that environment, which counts as a use of the publisher;
    the token itself where it is a user's own, or no publisher there matches."""
    if not token.claims:
        return token
    caller = _identity(token)
    with transaction.atomic():
        if publisher_tokens.lock(token.digest) is None:
            return token
        for publisher in _of(owner, name):
            fits = (publisher.kind, publisher.issuer) == (caller.kind, caller.issuer)
            if not (
                fits and matching.matches(publisher, caller.claims) and _may_publish(publisher)
            ):
                continue
            if grant := _grant(caller, publisher):
                _record_use(publisher, grant.environment, matching.pinned(publisher, caller.claims))
                extended = publisher_tokens.extend(token=token, grant=grant)
                return extended if extended.usable else token
    return token


def is_shared(token: Token) -> bool:
    """Does the token act for other users too, each in their own environment?"""
    if not token.claims:
        return False
    other_adders = ~Q(added_by=token.user_id)
    return next(_candidates(_identity(token), other_adders), None) is not None


def _next(digest: str) -> Token | None:
    with transaction.atomic():
        token = publisher_tokens.lock(digest)
        if token is None:
            return None
        caller = _identity(token)
        grants = (g for p in _candidates(caller) if (g := _grant(caller, p)))
        rows = (publisher_tokens.extend(token=token, grant=grant) for grant in grants)
        return next((row for row in rows if row.usable), None)


def _identity(token: Token) -> Identity:
    """The identity for which the token was minted."""
    issued_for, end = token.published_with, cast("datetime", token.expires_at)
    return Identity(issued_for["issuer"], issued_for["kind"], "", end, token.claims)


def _claim(caller: Identity) -> None:
    """Store the id of the identity token as used. The constraint decides, so that of two exchanges
    at once one fails; the row stays longer than `verify` accepts the token."""
    UsedJti.objects.filter(kept_until__lt=timezone.now()).delete()
    kept_until = caller.expires_at + identity.LEEWAY + MARGIN
    try:
        with transaction.atomic():
            UsedJti.objects.create(issuer=caller.issuer, jti=caller.jti, kept_until=kept_until)
    except IntegrityError:
        raise HubError("publisher.token_used", status=422) from None


def _candidates(caller: Identity, condition: Q = ALL) -> Iterator[TrustedPublisher]:
    """The publishers that match the identity and whose adder may publish there, read page by page,
    because callers mostly need the first."""
    rows = ROWS.filter(condition, ADDER_PUBLISHES, kind=caller.kind, issuer=caller.issuer).order_by(
        "pk"
    )
    for key in matching.keys(caller.kind, caller.issuer, caller.claims):
        after = 0
        while page := list(rows.filter(key=key, pk__gt=after)[:PAGE]):
            after = page[-1].pk
            for publisher in page:
                if matching.matches(publisher, caller.claims) and _may_publish(publisher):
                    yield publisher


def _of(owner: Owner, name: str) -> Iterator[TrustedPublisher]:
    """The publishers of an environment, and those that are pending for it."""
    yield from ROWS.filter(environment__owner=owner, environment__name=name).order_by("pk")
    yield from ROWS.filter(owner=owner, name=name).order_by("pk")


def _grant(caller: Identity, publisher: TrustedPublisher) -> publisher_tokens.Grant | None:
    """The grant of a publisher; None where a pending one names an environment that is refused."""
    environment = publisher.environment or _create_environment(publisher)
    if environment is None:
        return None
    return publisher_tokens.Grant(
        user=publisher.added_by,
        environment=environment,
        name=f"trusted publisher {publisher.subject}"[:80],
        published_with=matching.published_with(publisher, caller.claims),
    )


def _may_publish(publisher: TrustedPublisher) -> bool:
    """May the user who added it still publish there?"""
    if publisher.environment is not None:
        return permissions.can(publisher.added_by, "environment.publish", publisher.environment)
    return permissions.can(publisher.added_by, "owner.publish", publisher.under)


def _create_environment(publisher: TrustedPublisher) -> Environment | None:
    """The new environment of a pending publisher; None where its name is refused."""
    try:
        environment, _ = get_or_create_environment(
            owner=publisher.under, name=publisher.name, by=publisher.added_by
        )
    except HubError as refused:
        log.warning("pending publisher of %s cannot publish: %s", publisher, refused.message)
        return None
    return environment


def _record_use(
    publisher: TrustedPublisher, environment: Environment, claims: dict[str, str]
) -> None:
    """Store the use, the environment that it created and the account that it pins.

    Other rows of the same identity are deleted: one that is not pinned would admit the next owner
    of the account name.
    """
    unpinned = {name: "" if name == "owner_id" else value for name, value in claims.items()}
    same_environment = Q(environment=environment) | Q(
        owner=environment.owner, name=environment.name
    )
    twins = TrustedPublisher.objects.filter(
        same_environment, Q(claims=claims) | Q(claims=unpinned), issuer=publisher.issuer
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


def _no_match(caller: Identity) -> HubError:
    """The error with the claims of the token, which its sender has, and none of the
    publishers."""
    names = ("sub", "repository", "job_workflow_ref", "project_path", "ci_config_ref_uri")
    claims = ", ".join(
        f"{name} {caller.claims[name]!r:.200}"
        for name in (*names, "environment")
        if name in caller.claims
    )
    return HubError("publisher.no_match", f"no trusted publisher here is {claims}", status=422)
