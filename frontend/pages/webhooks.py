"""Webhooks of environments and owners, with the log of their deliveries."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from frontend.access import (
    demand,
    environment_or_404,
    form_methods,
    owner_or_404,
    person,
    refused,
    requires_recent_sign_in,
    unless_refused,
)
from frontend.pages.environment_head import tabs
from frontend.paging import page
from registry.accounts.models import Owner, User
from registry.accounts.permissions import can
from registry.catalog.models import Environment
from registry.errors import HubError
from registry.notifications.kinds import KINDS
from registry.read_models import environments
from registry.read_models import webhooks as read_models
from registry.webhooks import services
from registry.webhooks.models import MAX_URL, Webhook

CONFIRMATION = "remove"


class NewWebhook(forms.Form):
    """An address and the kinds of news that it gets."""

    url = forms.CharField(
        max_length=MAX_URL, label="URL", help_text="https:// with a host on the public internet."
    )
    kinds = forms.MultipleChoiceField(
        label="Send a message when",
        widget=forms.CheckboxSelectMultiple,
        choices=[(name, KINDS[name].label) for name in services.OFFERED],
        initial=list(services.OFFERED),
    )


@form_methods
@never_cache
@login_required
@requires_recent_sign_in
def of_environment(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """The webhooks of an environment alone, and the form for a new one."""
    env = environment_or_404(request, owner, name)
    user = demand(request, "webhook.manage", Webhook(environment=env, owner=env.owner))
    context = {"env": environments.summary(env), "tabs": tabs(request, env, on="settings")}
    return _listed(request, env, user, context)


@form_methods
@never_cache
@login_required
@requires_recent_sign_in
def of_owner(request: HttpRequest, name: str) -> HttpResponse:
    """The webhooks of all environments of an owner."""
    owner = owner_or_404(name)
    user = demand(request, "webhook.manage", Webhook(owner=owner))
    return _listed(request, owner, user, {})


def _listed(
    request: HttpRequest, to: Environment | Owner, user: User, context: dict[str, Any]
) -> HttpResponse:
    form = NewWebhook(request.POST if request.method == "POST" else None)
    added: list[tuple[Webhook, str]] = []

    def add() -> None:
        added.append(services.add(to=to, by=user, **form.cleaned_data))

    if form.is_valid() and unless_refused(form, add):
        form = NewWebhook()
    own = services.of_owner(to) if isinstance(to, Owner) else services.of_environment(to)
    rows = own.select_related("owner", "environment__owner", "created_by")
    context |= {
        "to": str(to),
        "form": form,
        "webhooks": read_models.summaries(list(rows)),
        "secret": added[0][1] if added else "",
    }
    return render(request, "pages/webhooks.html", context, status=400 if form.errors else 200)


@form_methods
@never_cache
@login_required
@requires_recent_sign_in
def webhook(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One webhook with its deliveries; a POST tests, enables, renews, redelivers or removes."""
    user = person(request)
    try:
        row = services.find(pk)
    except HubError:
        raise Http404 from None
    if not can(user, "webhook.manage", row):
        raise Http404
    secret = ""
    if request.method == "POST":
        try:
            secret = _act(request, row, user)
        except HubError as problem:
            refused(request, problem)
        if not secret:
            removed = not Webhook.objects.filter(pk=pk).exists()
            return redirect(_above(row) if removed else request.get_full_path())
    shown, following = page(request, row.deliveries.all(), by=("-pk",))
    context = {
        "webhook": read_models.summary(row),
        "above": _above(row),
        "deliveries": read_models.deliveries(shown),
        "next": following,
        "secret": secret,
    }
    return render(request, "pages/webhook.html", context)


def _act(request: HttpRequest, row: Webhook, user: User) -> str:
    """Do what the pressed button says; returns a new secret, else nothing."""
    match request.POST.get("action"):
        case "test":
            services.test(webhook=row)
            messages.success(request, "A test is sent within half a minute.")
        case "enable":
            services.enable(webhook=row, by=user)
            messages.success(request, "The webhook is enabled.")
        case "renew":
            return services.renew_secret(webhook=row, by=user)
        case "remove" if request.POST.get("confirm", "").strip() != CONFIRMATION:
            messages.error(request, f"The webhook was not removed: type {CONFIRMATION} to confirm.")
        case "remove":
            services.remove(webhook=row, by=user)
            messages.success(request, "The webhook was removed.")
        case "redeliver":
            number = request.POST.get("delivery", "")
            services.redeliver(webhook=row, pk=int(number) if number.isdecimal() else 0)
            messages.success(request, "The delivery is sent again within half a minute.")
    return ""


def _above(row: Webhook) -> str:
    """The page that lists it."""
    if row.environment is None:
        return reverse("owner-webhooks", args=[row.owner.name])
    return reverse("environment-webhooks", args=[row.owner.name, row.environment.name])
