"""The pages on which a person changes and confirms their e-mail address: allauth's, with stricter
rules for addresses that are not confirmed."""

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
    """The address, and the new one that waits for its confirmation."""

    def _action_primary(self, request: HttpRequest) -> HttpResponse | None:
        """Nothing: an address becomes the account's by being confirmed, in no other way."""
        return None


class Confirm(ConfirmEmailView):  # type: ignore[misc]
    """The page behind the link in a mail that confirms an address.

    A new address of an account is confirmed by who is signed in to it: its reader may be a
    stranger, after a typing error, and could set the password once it is confirmed.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Ask for the sign-in first where the link is about a new address."""
        confirmation = get_emailconfirmation_model().from_key(kwargs["key"])
        if confirmation is not None and addresses.is_change(confirmation.email_address):
            self.logout_other_user(confirmation)
            if not request.user.is_authenticated:
                return redirect_to_login(request.path)
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm it; of several accounts that confirm one address at once, one does."""
        try:
            with transaction.atomic():
                answer: HttpResponse = super().post(*args, **kwargs)
        except IntegrityError:
            answer = self.render_to_response(self.get_context_data())
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """With the accounts that lose their link for a forgotten password."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        if self.object is not None:
            row = self.object.email_address
            context["without_link"] = addresses.without_link(row.email, confirming=row.user)
        return context
