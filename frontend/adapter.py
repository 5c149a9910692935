"""The hub's adapter of django-allauth: client addresses, mails, limits and reauthentication."""

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
from registry import events, rate_limits
from registry.accounts import addresses, devices
from registry.accounts.models import User

WINDOW_SECONDS = 300  # seconds: the window of every rate in ACCOUNT_RATE_LIMITS
RATE_LIMIT_CODES = ("too_many_login_attempts", "rate_limited")
# Mails about a password reset; one of them is sent in any case.
RESET_TEMPLATES = ("account/email/password_reset_key", "account/email/unknown_account")
log = logging.getLogger(__name__)


def rate_limited(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """The page above a rate limit; allauth finds this view as `handler429` in hub/urls.py."""
    answer = render(request, "429.html", {"minutes": WINDOW_SECONDS // 60}, status=429)
    answer.headers["Retry-After"] = str(WINDOW_SECONDS)
    return answer


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Account actions, with the hub's own URLs in mails, its proxies and its journal."""

    def validation_error(self, code: str, *args: Any) -> ValidationError:
        """A form error; above the rate limit the response is the page of `rate_limited` instead."""
        if code in RATE_LIMIT_CODES:
            raise ImmediateHttpResponse(rate_limited(current.request))
        refusal: ValidationError = super().validation_error(code, *args)
        return refusal

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the attempt for the known browser, or for the address and the account."""
        name = str(credentials.get("username") or credentials.get("email") or "")
        user = filter_users_by_username(name).first() if name else None
        usage = attempts.consume_password(request, user=user, name=name)
        if usage is None:
            raise self.validation_error("too_many_login_attempts")
        # `authenticate` removes this count after a correct password.
        self._login_failed_rl_usage = usage

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in, after all stages, and mark the browser as known."""
        super().login(request, user)
        known_devices.remember(request, user)

    def can_delete_email(self, email_address: EmailAddress) -> bool:
        """Only an unconfirmed new one: an account without an address cannot reset its password."""
        return bool(email_address.user.email) and addresses.is_change(email_address)

    def set_password(self, user: User, password: str) -> None:
        """Set it, mark the browser as known, and end device logins of older sessions."""
        request = current.request
        with transaction.atomic():
            super().set_password(user, password)
            devices.end_logins(user=user)
        known_devices.remember(request, user, codes=request.user.pk == user.pk)

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address that the API counts for its rate limits."""
        return rate_limits.address(request)

    def is_reauthentication_required(self, *, app: str) -> bool:
        """Whether the last sign-in is older than ACCOUNT_REAUTHENTICATION_TIMEOUT."""
        request = current.request
        records = get_authentication_records(request, request.user)
        recent = time.time() - settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
        return not any(record["at"] > recent for record in records)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """A link with HUB_URL: the Host header of the request is the client's choice."""
        path = reverse("account_reset_password_from_key", kwargs={"uidb36": "UID", "key": "KEY"})
        return settings.HUB_URL + path.replace("UID-KEY", key)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """The confirmation link with HUB_URL, for the same reason."""
        return settings.HUB_URL + reverse("account_confirm_email", args=[emailconfirmation.key])

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send, or log the failure: no page fails because of it, or reveals an account."""
        context |= {
            "hub": settings.HUB_URL,
            "signup_url": settings.HUB_URL + reverse("account_signup"),
        }
        context["reset_url"] = settings.HUB_URL + reverse("account_reset_password")
        if template_prefix in RESET_TEMPLATES:
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
        """Mail the person about a change of a sign-in method, and record it in the journal."""
        change = template_prefix.rpartition("/")[2]
        events.record(f"account.{change}", by=user, owner=getattr(user, "owner", None))
        super().send_notification_mail(template_prefix, user, context, email)
