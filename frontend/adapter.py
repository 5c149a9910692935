"""Where django-allauth asks the hub: whose address, what to say, when a password is asked again."""

from __future__ import annotations

import logging
import time
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.account.utils import filter_users_by_username
from allauth.core import context as current
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from frontend import attempts, known_devices
from registry import events
from registry.accounts import addresses, devices
from registry.accounts.models import User
from registry.api import throttles

SLOW = 300  # seconds: the window of every rate in ACCOUNT_RATE_LIMITS
TOO_OFTEN = ("too_many_login_attempts", "rate_limited")
# Mails that answer the question for a new password, one of which is sent in any case.
ABOUT_RESET = ("account/email/password_reset_key", "account/email/unknown_account")
log = logging.getLogger(__name__)


def slow_down(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """The page for whoever knocks too often; allauth finds it as `handler429` in hub/urls.py."""
    answer = render(request, "429.html", {"minutes": SLOW // 60}, status=429)
    answer.headers["Retry-After"] = str(SLOW)
    return answer


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Signing in, with the hub's addresses in its mail, its proxies and its journal."""

    def validation_error(self, code: str, *args: Any) -> ValidationError:
        """A refusal under the form; where it came too often, the page that says so instead."""
        if code in TOO_OFTEN:
            raise ImmediateHttpResponse(slow_down(current.request))
        refusal: ValidationError = super().validation_error(code, *args)
        return refusal

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the password for the known browser, or for the address and the account."""
        name = str(credentials.get("username") or credentials.get("email") or "")
        user = filter_users_by_username(name).first() if name else None
        usage = attempts.consume_password(request, user=user, name=name)
        if usage is None:
            raise self.validation_error("too_many_login_attempts")
        # `authenticate` takes this back after a right password.
        self._login_failed_rl_usage = usage

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in, after all stages; the browser is known from now on."""
        super().login(request, user)
        known_devices.remember(request, user)

    def can_delete_email(self, email_address: EmailAddress) -> bool:
        """Only one that waits for its confirmation: an account without an address has no way back
        to a forgotten password."""
        return bool(email_address.user.email) and addresses.is_change(email_address)

    def set_password(self, user: User, password: str) -> None:
        """Set it; who changed it, or followed the link in a mail, does so in a known browser.
        Devices that the old password's sessions confirmed get no token any more."""
        request = current.request
        with transaction.atomic():
            super().set_password(user, password)
            devices.end_logins(user=user)
        known_devices.remember(request, user, codes=request.user.pk == user.pk)

    def get_client_ip(self, request: HttpRequest) -> str:
        """As the API counts them."""
        return throttles.address(request)

    def is_reauthentication_required(self, *, app: str) -> bool:
        """Not within a quarter of an hour of having signed in; allauth itself asks again then."""
        request = current.request
        records = get_authentication_records(request, request.user)
        recent = time.time() - settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
        return not any(record["at"] > recent for record in records)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """On the hub's own address: the request's Host is its sender's choice."""
        path = reverse("account_reset_password_from_key", kwargs={"uidb36": "UID", "key": "KEY"})
        return settings.HUB_URL + path.replace("UID-KEY", key)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """The same for the link that confirms an address."""
        return settings.HUB_URL + reverse("account_confirm_email", args=[emailconfirmation.key])

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send, or log that it failed: no page breaks by that, or tells who has an account."""
        context |= {
            "hub": settings.HUB_URL,
            "signup_url": settings.HUB_URL + reverse("account_signup"),
        }
        context["reset_url"] = settings.HUB_URL + reverse("account_reset_password")
        if template_prefix in ABOUT_RESET:
            context["without_link"] = addresses.without_link(email)
        try:
            super().send_mail(template_prefix, email, context)
        except OSError:  # smtplib's errors are among them
            log.exception("mail %s was not sent", template_prefix)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Tell the person what changed in how they sign in, and write it into their journal."""
        change = template_prefix.rpartition("/")[2]
        events.record(f"account.{change}", by=user, owner=getattr(user, "owner", None))
        super().send_notification_mail(template_prefix, user, context, email)
