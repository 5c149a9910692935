"""Limits on attempts with passwords and codes, by allauth's ACCOUNT_RATE_LIMITS.

A known browser has its own counter; all others share those of their address and the account.
"""

from __future__ import annotations

from collections.abc import Callable

from allauth.account.adapter import get_adapter
from allauth.core import context as current
from allauth.core.internal import ratelimit
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import AuthenticateWebAuthnForm, ReauthenticateWebAuthnForm
from allauth.mfa.webauthn.internal import auth
from django.http import HttpRequest

from frontend import known_devices
from registry.accounts.models import User

APP = "allauth.account"


def consume_password(
    request: HttpRequest, *, user: User | None, name: str
) -> ratelimit.RateLimitUsage | None:
    """Count one password attempt for the account, or for the name if there is no account.

    None above the limit. The session of a signed-in `user` counts as a known browser.
    """
    device = device_of(request, user)
    if device is not None:
        return ratelimit.consume(request, app=APP, action="known_device", key=f"password-{device}")
    if not ratelimit.consume(request, app=APP, action="sign_in"):
        return None
    key = f"user-{user.pk}" if user else f"name-{name.casefold()}"
    return ratelimit.consume(request, app=APP, action="login_failed", key=key)


def device_of(request: HttpRequest, user: User | None, *, codes: bool = False) -> str | None:
    """The key of the browser's own counter if it is known to the account or signed in.

    With `codes`, only a browser that is known for second factors.
    """
    if user is None:
        return None
    if request.user.is_authenticated and request.user.pk == user.pk:
        return f"session-{request.session.session_key}"
    return known_devices.counter_key(request, user, codes=codes)


def consume_code(request: HttpRequest, *, user: User) -> Callable[[], None]:
    """Count one code of a second factor; the returned function clears the count.

    Raises the validation error above the limit.
    """
    device = device_of(request, user, codes=True)
    action = "code_failed" if device is None else "known_device"
    key = f"code-{user.pk if device is None else device}"
    if not ratelimit.consume(request, app=APP, action=action, key=key):
        raise get_adapter().validation_error("too_many_login_attempts")
    return lambda: ratelimit.clear(request, app=APP, action=action, key=key)


class _Code:
    """Allauth's validation of a code, with the counters of this module."""

    user: User
    cleaned_data: dict[str, str]
    authenticator: Authenticator

    def clean_code(self) -> str:
        """The code of an authenticator app, or a recovery code."""
        forget = consume_code(current.request, user=self.user)
        code = self.cleaned_data["code"]
        rows = Authenticator.objects.filter(user=self.user)
        for authenticator in rows.exclude(type=Authenticator.Type.WEBAUTHN):
            if authenticator.wrap().validate_code(code):
                authenticator.user = self.user
                self.authenticator = authenticator
                forget()
                return code
        raise get_adapter().validation_error("incorrect_code")


class SecondFactor(_Code, AuthenticateForm):  # type: ignore[misc]
    """The form for a code at sign-in."""


class ConfirmFactor(_Code, ReauthenticateForm):  # type: ignore[misc]
    """The form for a code before a sensitive action."""


class _SecurityKey:
    """A signature cannot be guessed, so a limit would only lock out the owner."""

    user: User
    cleaned_data: dict[str, dict[str, object]]

    def clean_credential(self) -> Authenticator:
        """The authenticator that made the signature."""
        credential = self.cleaned_data["credential"]
        auth.parse_authentication_response(credential)
        return auth.complete_authentication(self.user, credential)


class SecurityKey(_SecurityKey, AuthenticateWebAuthnForm):  # type: ignore[misc]
    """The form for a security key at sign-in."""


class ConfirmSecurityKey(_SecurityKey, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """The form for a security key before a sensitive action."""
