"""A person's tokens: create, list, revoke."""

from __future__ import annotations

from django import forms
from django.contrib.auth.decorators import login_required
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from frontend import rates
from frontend.access import form_methods, person, requires_recent_sign_in, unless_refused
from registry.accounts import lineage
from registry.accounts import tokens as service
from registry.accounts.models import Token
from registry.catalog.models import Environment, EnvironmentQuerySet


class NewToken(forms.Form):
    """Name, scope, environment and lifetime of a new token."""

    name = forms.CharField(max_length=80, help_text="Purpose, e.g. ci")
    scope = forms.ChoiceField(
        choices=[
            (Token.Scope.PUBLISH, "publish – read and upload versions"),
            (Token.Scope.READ, "read – see and install environments"),
            (Token.Scope.ADMIN, "admin – everything that you may do"),
        ]
    )
    environment = forms.ModelChoiceField(
        queryset=Environment.objects.none(), required=False, empty_label="all environments"
    )
    days = forms.TypedChoiceField(
        label="Expires",
        choices=[("90", "in 90 days"), ("7", "in 7 days"), ("365", "in a year"), ("", "never")],
        initial=str(service.DAYS),
        coerce=int,
        empty_value=None,
        required=False,
    )


@form_methods
@never_cache
@login_required
@requires_recent_sign_in
def tokens(request: HttpRequest) -> HttpResponse:
    """List the tokens; only this response contains the text of a new one."""
    user = person(request)
    environments = Environment.objects.visible_to(user).belonging_to(user).select_related("owner")
    form = _form(environments, request.POST or None)
    minted: list[str] = []

    def mint() -> None:
        rates.check(request, "token", person=str(user.pk))
        minted.append(service.mint(user=user, **form.cleaned_data)[1])

    if form.is_valid() and unless_refused(form, mint):
        form = _form(environments)
    own_tokens = user.tokens.filter(
        published_with={}
    )  # not the short-lived ones of trusted publishers
    rows = own_tokens.select_related("environment__owner", "parent").order_by(
        F("revoked_at").asc(nulls_first=True), "-created_at"
    )
    context = {"form": form, "tokens": rows[:200], "minted": "".join(minted)}
    return render(request, "pages/tokens.html", context)


def _form(environments: EnvironmentQuerySet, data: QueryDict | None = None) -> NewToken:
    form = NewToken(data)
    form.fields["environment"].queryset = environments  # type: ignore[attr-defined]
    return form


@form_methods
@never_cache
@login_required
def revoke(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show a confirmation, then revoke the token."""
    user = person(request)
    token = user.tokens.filter(public_id=public_id, revoked_at=None).first()
    if token is None:
        raise Http404
    if request.method == "POST":
        service.revoke(user=user, public_id=public_id)
        return redirect("tokens")
    context = {"token": token, "made": lineage.descendants(token)}
    return render(request, "pages/token_revoke.html", context)
