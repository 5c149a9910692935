"""Pages to change and confirm an email address: allauth's, with stricter rules for unconfirmed
addresses."""

from __future__ import annotations

from typing import Any

from allauth.account.models import get_emailconfirmation_model
from allauth.account.views import ConfirmEmailView, EmailView
from django.contrib.auth.views import redirect_to_login
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from registry.accounts import addresses


class Change(EmailView):  # type: ignore[misc]
    """The current address, and an unconfirmed new one."""

    def _action_primary(self, request: HttpRequest) -> HttpResponse | None:
        """Do nothing: only a confirmation makes an address the account's."""
        return None


class Confirm(ConfirmEmailView):  # type: ignore[misc]
    """The page of a confirmation link.

    A new address of an account can be confirmed only while signed in to it: after a typing error
    the reader of the mail may be a stranger, who could then reset the password.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Require signing in first if the link confirms a new address."""
        confirmation = get_emailconfirmation_model().from_key(kwargs["key"])
        if confirmation is not None and addresses.is_change(confirmation.email_address):
            self.logout_other_user(confirmation)
            if not request.user.is_authenticated:
                return redirect_to_login(request.path)
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm it; if several accounts confirm one address at once, one succeeds."""
        try:
            with transaction.atomic():
                answer: HttpResponse = super().post(*args, **kwargs)
        except IntegrityError:
            answer = self.render_to_response(self.get_context_data())
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the accounts that can no longer receive a password reset link."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        if self.object is not None:
            row = self.object.email_address
            context["without_link"] = addresses.without_link(row.email, confirming=row.user)
        return context
