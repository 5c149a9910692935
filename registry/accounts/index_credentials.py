"""Credentials lent for a quarter of an hour, to stand in an address that other programs see.

A loan opens one environment's index and files and nothing else. No row is written: it is signed,
it leans on the token that asked for it, and ends with it.
"""

from __future__ import annotations

from datetime import timedelta

from django.core import signing

from registry.accounts.models import Token

PREFIX = "hublent_"
SALT = "registry.accounts.loan"
TIME = timedelta(minutes=15)


def lend(*, token: Token, environment_id: int) -> str:
    """The text of a loan for this environment, to the person of that token."""
    return PREFIX + signing.dumps([token.public_id, environment_id], salt=SALT, compress=False)


def verify(text: str) -> Token | None:
    """An unsaved read token for the one environment, where the loan is good; else None."""
    body = text.removeprefix(PREFIX)
    if body == text:
        return None
    try:
        public_id, environment = signing.loads(body, salt=SALT, max_age=TIME)
    except (signing.BadSignature, ValueError):  # ValueError: text that UTF-8 cannot hold
        return None
    lender = Token.objects.filter(public_id=public_id).select_related("user__owner").first()
    if lender is None or not lender.usable or not lender.user.is_active:
        return None
    if lender.environment_id not in (None, environment):
        return None
    return Token(
        user=lender.user,
        name=f"lent by {lender}",
        public_id=lender.public_id,
        scope=Token.Scope.READ,
        environment_id=environment,
    )
