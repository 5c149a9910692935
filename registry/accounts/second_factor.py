"""The second factor that HUB_REQUIRE_MFA requires of users who publish."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.urls import reverse

from registry.accounts.models import User
from registry.errors import Forbidden

STRONG = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def missing(user: User) -> bool:
    """Does HUB_REQUIRE_MFA require a second factor that this user has not set up?"""
    if settings.HUB_REQUIRE_MFA != "publish":
        return False
    return not Authenticator.objects.filter(user=user, type__in=STRONG).exists()


def refusal(user: User) -> Forbidden:
    """The error for such a user."""
    page = settings.HUB_URL + reverse("mfa_index")
    return Forbidden(
        f"this hub requires a second factor of publishers, and {user} has none",
        f"Add an authenticator app or a passkey at {page}",
        "account.mfa_required",
    )
