"""Whether a person proves who they are by more than a password, where the operator asks it."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.urls import reverse

from registry.accounts.models import User
from registry.errors import Forbidden

STRONG = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def missing(user: User) -> bool:
    """Does HUB_REQUIRE_MFA ask for a second factor that this person has not set up?"""
    if settings.HUB_REQUIRE_MFA != "publish":
        return False
    return not Authenticator.objects.filter(user=user, type__in=STRONG).exists()


def refusal(user: User) -> Forbidden:
    """What to tell them."""
    page = settings.HUB_URL + reverse("mfa_index")
    return Forbidden(
        f"this hub asks whoever publishes for a second factor, and {user} has none",
        f"Add an authenticator app or a passkey at {page}",
        "account.mfa_required",
    )
