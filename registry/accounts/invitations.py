"""Invitations to an organisation: to a user by name, or to an email address.

The link contains the secret, of which only the digest is stored. Only that user can accept an
invitation to a user; anybody with the link can accept one to an address, which only its reader
should have.
"""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from registry import events
from registry.accounts import mail, owner_notices, services, token_format
from registry.accounts.models import Invitation, Membership, Organisation, User
from registry.errors import Forbidden, HubError, NotFound

LIFE = timedelta(days=7)
ROWS = Invitation.objects.select_related("organisation__owner", "user", "invited_by")


def open_invitations() -> QuerySet[Invitation]:
    """Neither ended nor expired, and from a sender who may still invite."""
    rows = ROWS.filter(services.may_invite())
    return rows.filter(ended_at=None, expires_at__gt=timezone.now())


def invite(*, organisation: Organisation, to: str, role: str, by: User) -> Invitation:
    """Offer the role to the user of that name, or to an address, and mail them the link."""
    services.check_role(role)
    user, address = _invited(organisation, to)
    secret = secrets.token_urlsafe(32)
    now = timezone.now()
    try:
        with transaction.atomic():
            services.lock(organisation)
            over = organisation.invitations.filter(ended_at=None).exclude(pk__in=open_invitations())
            over.update(ended_at=now)
            invitation = Invitation.objects.create(
                organisation=organisation,
                user=user,
                email=address,
                role=role,
                digest=token_format.sha256(secret),
                invited_by=by,
                expires_at=now + LIFE,
            )
            if not open_invitations().filter(pk=invitation.pk).exists():
                raise Forbidden(f"you may not invite to {organisation}")
            _record("sent", invitation, by)
            _mail(invitation, secret)
            _notify_owners(invitation, by)
    except IntegrityError:
        raise HubError(
            "request.conflict",
            f"{to} is invited to {organisation} already",
            "Withdraw that invitation first.",
            409,
        ) from None
    return invitation


def _invited(organisation: Organisation, to: str) -> tuple[User | None, str]:
    """The user of that name, or the address; raises HubError where neither can be invited."""
    address = to.strip().lower() if "@" in to else ""
    user = None if address else _person(to.strip().lower())
    if user and organisation.memberships.filter(user=user).exists():
        raise HubError(
            "request.conflict",
            f"{user} is a member of {organisation} already",
            "Change the role of the member instead.",
            409,
        )
    _check_address(address)
    return user, address


def _notify_owners(invitation: Invitation, by: User) -> None:
    owner = invitation.organisation.owner
    owner_notices.send(
        people=owner_notices.to_notify(owner, by=by),
        owner=owner,
        by=by,
        change=f"{invitation.user or invitation.email} is invited to {owner} as {invitation.role}.",
    )


def find(*, secret: str, user: User | None) -> Invitation:
    """The open invitation of that link, for the user or before signing in; raises NotFound where it
    is over or for another user."""
    invitation = open_invitations().filter(digest=token_format.sha256(secret)).first()
    if invitation is None or (user and invitation.user_id not in (None, user.pk)):
        raise NotFound("this invitation is over, or is not for you")
    return invitation


def accept(*, invitation: Invitation, user: User) -> Membership:
    """Become a member; a member keeps the higher of the two roles."""
    now = timezone.now()
    with transaction.atomic():
        services.lock(invitation.organisation)
        if not open_invitations().filter(pk=invitation.pk).exists():
            raise _over()
        _end(invitation, accepted_at=now)
        rank = Membership.Role.values.index  # owner, maintainer, member
        membership = Membership.objects.filter(
            organisation=invitation.organisation, user=user
        ).first()
        role = min((invitation.role, membership.role if membership else invitation.role), key=rank)
        _record("accepted", invitation, user)
        _notify_accepted(invitation, user, role)
        return services.add_member(
            organisation=invitation.organisation,
            user=user,
            role=role,
            by=user,
            sender=_sender(invitation),
        )


def _notify_accepted(invitation: Invitation, user: User, role: str) -> None:
    """Mail the owners where staff sent the invitation."""
    owner, sender = invitation.organisation.owner, invitation.invited_by
    if sender is not None:
        owner_notices.send(
            people=owner_notices.to_notify(owner, by=sender),
            owner=owner,
            by=sender,
            change=f"{user} joined {owner} as {role}, invited by {sender}.",
        )


def decline(*, invitation: Invitation, user: User) -> None:
    """Decline it."""
    with transaction.atomic():
        _end(invitation)
        _record("declined", invitation, user)


def withdraw(*, invitation: Invitation, by: User) -> None:
    """Withdraw it; its link is invalid from now on."""
    with transaction.atomic():
        _end(invitation)
        _record("withdrawn", invitation, by)


def _end(invitation: Invitation, **change: object) -> None:
    """Of two answers at once, one counts."""
    now = timezone.now()
    row = Invitation.objects.filter(pk=invitation.pk, ended_at=None, expires_at__gt=now)
    if not row.update(ended_at=now, **change):
        raise _over()


def _over() -> NotFound:
    return NotFound("this invitation is over")


def _record(change: str, invitation: Invitation, by: User) -> None:
    events.record(
        f"invitation.{change}",
        by=by,
        owner=invitation.organisation.owner,
        to=str(invitation.user or invitation.email),
        role=invitation.role,
        sender=_sender(invitation),
    )


def _sender(invitation: Invitation) -> str:
    return str(invitation.invited_by or "a former user")


def _mail(invitation: Invitation, secret: str) -> None:
    restriction = (
        f"It is for {invitation.user} alone: sign in with that account to accept it."
        if invitation.user
        else "Whoever holds this link may accept it: do not pass it on."
    )
    link = settings.HUB_URL + reverse("invitation", args=[secret])
    organisation = invitation.organisation
    mail.send(
        to=invitation.user.email if invitation.user else invitation.email,
        subject=f"{invitation.invited_by} invites you to {organisation}",
        text=f"{invitation.invited_by} invites you to join {organisation} as {invitation.role} "
        f"on {settings.HUB_URL}\n\nAnswer here within {LIFE.days} days:\n\n{link}\n\n"
        f"{restriction}\n",
    )


def _person(name: str) -> User:
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise HubError(
            "request.invalid",
            f"there is no user {name[:40]!r}",
            "Give the name of a user, or an email address.",
            details={"field": "to"},
        )
    return user


def _check_address(address: str) -> None:
    try:
        if address:
            services.check_email(address)
    except HubError as refused:
        refused.details["field"] = "to"
        raise
