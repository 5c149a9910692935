"""A person's tokens: make, see, revoke."""

from __future__ import annotations

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from frontend.access import person, refused
from registry.accounts import tokens as service
from registry.accounts.models import Token
from registry.catalog.models import Environment
from registry.catalog.queries import environments_visible_to
from registry.errors import HubError


class NewToken(forms.Form):
    """Name, scope, reach and life of a new token."""

    name = forms.CharField(max_length=80, help_text="What it is for, e.g. ci")
    scope = forms.ChoiceField(
        choices=[
            (Token.Scope.PUBLISH, "publish – read, and upload versions"),
            (Token.Scope.READ, "read – see and install"),
            (Token.Scope.ADMIN, "admin – all that you may do"),
        ]
    )
    environment = forms.ModelChoiceField(
        queryset=Environment.objects.none(), required=False, empty_label="all environments"
    )
    days = forms.TypedChoiceField(
        label="Expires",
        choices=[("90", "in 90 days"), ("7", "in 7 days"), ("365", "in a year"), ("", "never")],
        initial="90",
        coerce=int,
        empty_value=None,
        required=False,
    )


@never_cache
@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    """List them; a new one's text is on this one answer and nowhere else."""
    user = person(request)
    form = NewToken(request.POST or None)
    own = environments_visible_to(user).belonging_to(user).select_related("owner")
    form.fields["environment"].queryset = own  # type: ignore[attr-defined]
    minted = ""
    if form.is_valid():
        try:
            _, minted = service.mint(user=user, **form.cleaned_data)
            form = NewToken()
            form.fields["environment"].queryset = own  # type: ignore[attr-defined]
        except HubError as problem:
            form.add_error(None, problem.message)
    rows = user.tokens.select_related("environment__owner").order_by("revoked_at", "-created_at")
    return render(
        request, "pages/tokens.html", {"form": form, "tokens": rows[:200], "minted": minted}
    )


@require_POST
@login_required
def revoke(request: HttpRequest, public_id: str) -> HttpResponse:
    """End one now."""
    try:
        service.revoke(user=person(request), public_id=public_id)
    except HubError as problem:
        refused(request, problem)
    return redirect("tokens")
