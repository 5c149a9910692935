"""Mail when staff change ownership or membership, delete something, or set a password.

Staff may do so without a role there, and could publish afterwards: the owners must be notified.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.urls import reverse

from registry import events
from registry.accounts import mail
from registry.accounts.models import Membership, Owner, User

TEXT = """{by}, staff of {hub}, has made this change, without being an owner of {owner}:

{change}

The journal keeps it: {journal}

If you did not agree to it, ask the operator of the hub.
"""
CREDENTIAL = """{by}, staff of {hub}, has set the {credential} of the account {user}.

If you did not ask for it, choose a new password and ask the operator of the hub:

{page}
"""


def to_notify(owner: Owner, *, by: User) -> list[User]:
    """The owners to notify of a change by `by`; none where `by` is an owner too.

    Call it before the change. Closed accounts are included: staff could close an account first.
    """
    people = owners(owner)
    return [] if by in people else people


def owners(owner: Owner) -> list[User]:
    """The person, or the owners of the organisation; closed accounts are included."""
    if owner.user is not None:
        return [owner.user]
    roles = Membership.objects.filter(
        organisation=owner.organisation, role=Membership.Role.OWNER
    ).select_related("user")
    return [role.user for role in roles.order_by("pk")]


def send(*, people: Iterable[User], owner: Owner, by: User, change: str, subject: str = "") -> None:
    """Mail the change to each person once, after the commit."""
    text = TEXT.format(
        by=by,
        hub=settings.HUB_URL,
        owner=owner,
        change=change,
        journal=settings.HUB_URL + reverse("owner-journal", args=[owner.name]),
    )
    for email in dict.fromkeys(person.email for person in people if person != by):
        mail.send(
            to=email, subject=subject or f"Staff changed owner or members of {owner}", text=text
        )


def credential_set(*, user: User, by: User, credential: str, emails: Iterable[str]) -> None:
    """Journal and mail that staff set the `password` or the `email` of a person's account.

    Call it in the transaction of the change; `emails` holds the address before a change too.
    """
    owner = getattr(user, "owner", None)
    if credential == "password":
        events.record("account.password_set_by_staff", by=by, owner=owner)
    else:
        events.record("account.email_set_by_staff", by=by, owner=owner)
    page = settings.HUB_URL + reverse("account_reset_password")
    text = CREDENTIAL.format(
        by=by, hub=settings.HUB_URL, credential=credential, user=user, page=page
    )
    for email in dict.fromkeys(emails):
        mail.send(to=email, subject=f"Staff set the {credential} of {user}", text=text)
