"""Email addresses of accounts: which one receives the link that sets a password.

An address counts once its reader has confirmed it. The address of an account that never confirmed
one receives the link as well, until another account confirms that address: from then on its reader
is known to be the owner of the other account.
"""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Exists, OuterRef

from registry.accounts.models import User


def receives_mail_at(user: User, email: str) -> bool:
    """Is the address the person's own: confirmed, or the one of an account that confirmed none?

    A new address that waits for its confirmation is not: it may be a typing error.
    """
    confirmed = [row.email for row in EmailAddress.objects.filter(user=user, verified=True)]
    return email.lower() in [address.lower() for address in confirmed or [user.email]]


def request_change(*, user: User, email: str) -> EmailAddress:
    """The unconfirmed row of a new address; it replaces one that waits already.

    The address of the account stays, confirmed or not: the new one counts once it is confirmed.
    """
    email = email.lower()
    with transaction.atomic():
        unconfirmed = EmailAddress.objects.filter(user=user, verified=False)
        unconfirmed.exclude(email__iexact=user.email).exclude(email=email).delete()
        return EmailAddress.objects.get_or_create(user=user, email=email)[0]


def is_change(row: EmailAddress) -> bool:
    """Is it a new address, rather than the one given at sign-up?"""
    return str(row.email).lower() != str(row.user.email).lower()


def without_link(email: str, *, confirming: User | None = None) -> list[str]:
    """The accounts that gave the address and never confirmed one, and that receive no link there
    because another account has confirmed it, or once `confirming` does."""
    confirmed = EmailAddress.objects.filter(verified=True)
    if confirming is None and not confirmed.filter(email__iexact=email).exists():
        return []
    rows = User.objects.filter(
        ~Exists(confirmed.filter(user=OuterRef("pk"))), email__iexact=email, is_active=True
    )
    other_rows = rows.exclude(pk=confirming.pk) if confirming else rows
    return list(other_rows.order_by("username").values_list("username", flat=True))
