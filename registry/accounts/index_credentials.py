"""Credentials that are valid for a quarter of an hour, for addresses that other programs see.

One gives access to the index and files of a single environment. It has no row: it is signed, names
the token it was issued to, and ends with that token.
"""

from __future__ import annotations

from datetime import timedelta

from django.core import signing

from registry.accounts.models import Token

PREFIX = "hublent_"
SALT = "registry.accounts.loan"
TIME = timedelta(minutes=15)


def issue(*, token: Token, environment_id: int) -> str:
    """The text of a credential for this environment, issued to the user of that token."""
    return PREFIX + signing.dumps([token.public_id, environment_id], salt=SALT, compress=False)


def verify(text: str) -> Token | None:
    """An unsaved read token for the one environment, where the credential is valid; else None."""
    body = text.removeprefix(PREFIX)
    if body == text:
        return None
    try:
        public_id, environment = signing.loads(body, salt=SALT, max_age=TIME)
    except (signing.BadSignature, ValueError):  # ValueError: text that UTF-8 cannot hold
        return None
    issuer = Token.objects.filter(public_id=public_id).select_related("user__owner").first()
    if issuer is None or not issuer.usable or not issuer.user.is_active:
        return None
    if issuer.environment_id not in (None, environment):
        return None
    return Token(
        user=issuer.user,
        name=f"index credential of {issuer}",
        public_id=issuer.public_id,
        scope=Token.Scope.READ,
        environment_id=environment,
    )
