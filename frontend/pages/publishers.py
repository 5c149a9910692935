"""Trusted publishers: workflows that publish an environment without a stored token."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from frontend.access import (
    demand,
    environment_or_404,
    form_methods,
    owner_or_404,
    person,
    requires_recent_sign_in,
    unless_refused,
)
from frontend.pages.environment_head import tabs
from registry.accounts.models import Owner
from registry.catalog.models import Environment
from registry.errors import HubError
from registry.publishers import services
from registry.publishers.models import TrustedPublisher
from registry.read_models import environments

KINDS = {"github": "GitHub Actions", "gitlab": "GitLab CI/CD", "other": "OpenID Connect"}


class NewPublisher(forms.Form):
    """A workflow, by the claims of its identity tokens."""

    issuer = forms.ChoiceField(label="Platform")
    repository = forms.CharField(
        max_length=255, required=False, help_text="owner/name, as in its URL."
    )
    workflow = forms.CharField(
        max_length=255,
        required=False,
        help_text="The file of the workflow: publish.yml in .github/workflows on GitHub, "
        "or the path of the pipeline file on GitLab.",
    )
    ci_environment = forms.CharField(
        max_length=255,
        required=False,
        label="Deployment environment",
        help_text="On GitHub or GitLab. Set one to require its approvals for publishing.",
    )
    owner_id = forms.CharField(
        max_length=20,
        required=False,
        label="ID of the repository's owner",
        help_text="If empty, the first use pins it: a later owner of the name cannot publish.",
    )
    sub = forms.CharField(
        max_length=255,
        required=False,
        label="Subject",
        help_text="For other issuers only: the exact `sub` claim of their tokens.",
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        trusted: dict[str, str] = settings.HUB_OIDC_ISSUERS
        choices = [(url, f"{KINDS[kind]} – {url}") for url, kind in trusted.items()]
        self.fields["issuer"].choices = choices  # type: ignore[attr-defined]
        if "other" not in trusted.values():
            del self.fields["sub"]


class NewPending(NewPublisher):
    """The same for an environment that does not exist yet."""

    name = forms.CharField(max_length=100, label="Environment", help_text="The name it will have.")
    field_order = ("name",)


@form_methods
@never_cache
@login_required
@requires_recent_sign_in
def of_environment(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """The publishers of an environment, and the form for a new one."""
    env = environment_or_404(request, owner, name)
    demand(request, "publisher.manage", TrustedPublisher(environment=env))
    form = NewPublisher(request.POST or None)
    if added(request, form, env):
        return redirect("environment-publishers", env.owner.name, env.name)
    context = {
        "env": environments.summary(env),
        "tabs": tabs(request, env, on="settings"),
        "form": form,
        "publishers": rows(env),
        "to": str(env),
    }
    return render(request, "pages/publishers.html", context, status=400 if form.errors else 200)


@form_methods
@never_cache
@login_required
@requires_recent_sign_in
def of_owner(request: HttpRequest, name: str) -> HttpResponse:
    """Pending publishers of an owner."""
    owner = _managed_owner(request, name)
    form = NewPending(request.POST or None)
    if added(request, form, owner):
        return redirect("owner-publishers", owner.name)
    context = {"form": form, "publishers": rows(owner), "to": owner.name}
    return render(request, "pages/publishers.html", context, status=400 if form.errors else 200)


@require_POST
@login_required
def remove(request: HttpRequest, owner: str, name: str, pk: int) -> HttpResponse:
    """Remove a publisher of an environment and revoke its tokens."""
    env = environment_or_404(request, owner, name)
    user = demand(request, "publisher.manage", TrustedPublisher(environment=env))
    try:
        services.remove(publisher=services.of_environment(env, pk), by=user)
    except HubError:
        raise Http404 from None
    messages.success(request, "The trusted publisher was removed and its tokens revoked.")
    return redirect("environment-publishers", env.owner.name, env.name)


@require_POST
@login_required
def remove_pending(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Remove a pending publisher of an owner."""
    owner = _managed_owner(request, name)
    try:
        services.remove(publisher=services.of_owner(owner, pk), by=person(request))
    except HubError:
        raise Http404 from None
    messages.success(request, "The pending publisher was removed.")
    return redirect("owner-publishers", owner.name)


def added(request: HttpRequest, form: forms.Form, to: Environment | Owner) -> bool:
    """Whether the form was valid and the publisher was added."""
    if not form.is_valid():
        return False
    fields = dict(form.cleaned_data)
    issuer, name = fields.pop("issuer"), fields.pop("name", "")
    act = partial(
        services.add,
        to=to,
        name=name,
        kind=settings.HUB_OIDC_ISSUERS[issuer],
        issuer=issuer,
        fields=fields,
        by=person(request),
    )
    if not unless_refused(form, act):
        return False
    messages.success(request, "The trusted publisher was added.")
    return True


def rows(to: Environment | Owner) -> list[dict[str, Any]]:
    """The rows of the page, each with the URL that removes it."""
    owner = to if isinstance(to, Owner) else None
    return [
        {
            "environment": str(row),
            "issuer": row.issuer,
            "added_by": row.added_by.username,
            "remove": reverse("owner-publisher-remove", args=(owner.name, row.pk))
            if owner
            else reverse(
                "environment-publisher-remove",
                args=(row.under.name, str(row).partition("/")[2], row.pk),
            ),
            "used": row.last_used_at,
            "where": KINDS[row.kind],
            "claims": {name: value for name, value in row.claims.items() if value},
        }
        for row in services.listed(to)
    ]


def _managed_owner(request: HttpRequest, name: str) -> Owner:
    """The owner, if the person may manage its publishers."""
    owner = owner_or_404(name)
    demand(request, "publisher.manage", TrustedPublisher(owner=owner))
    return owner
