"""Quotas of owners, with their usage; staff set the limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from frontend.access import demand, form_methods, owner_or_404, person, unless_refused
from registry.accounts.models import Owner
from registry.accounts.permissions import can
from registry.quotas import services
from registry.quotas.models import Quota

MAX_OWNERS = 50  # owners whose usage one page shows


class LimitsForm(forms.Form):
    """The limits of one owner; an empty field leaves the hub's own setting, which it shows."""

    uploads_per_hour = forms.IntegerField(required=False, min_value=0, label="Uploads per hour")
    storage_bytes = forms.IntegerField(required=False, min_value=0, label="Storage, in bytes")
    queued_versions = forms.IntegerField(required=False, min_value=0, label="Queued versions")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, default in services.as_dict(services.default_limits()).items():
            self.fields[name].widget.attrs["placeholder"] = str(default)


@dataclass(frozen=True, slots=True)
class Row:
    """An owner with limits and usage."""

    owner: Owner
    limits: services.Limits
    usage: services.Usage


@never_cache
@require_safe
@login_required
def usage(request: HttpRequest) -> HttpResponse:
    """The quotas of the person and of their organisations."""
    user = person(request)
    owners = Owner.objects.filter(pk__in=user.roles).select_related("user", "organisation")
    rows = [_row(owner) for owner in owners.order_by("organisation_id", "name")[:MAX_OWNERS]]
    rows.sort(key=lambda row: row.owner.organisation_id or 0)
    return render(request, "pages/usage.html", {"rows": rows})


@never_cache
@form_methods
@login_required
def of_owner(request: HttpRequest, name: str) -> HttpResponse:
    """The quota of one owner, for its members; staff change the limits."""
    owner = owner_or_404(name)
    if request.method == "POST":
        demand(request, "hub.moderate", request.user)
    else:
        demand(request, "owner.quota", owner)
    staff = can(request.user, "hub.moderate", request.user)
    row = Quota.objects.filter(owner=owner).first()
    initial = {field: getattr(row, field, None) for field in services.FIELDS}
    form = LimitsForm(request.POST or None, initial=initial)

    def change() -> None:
        services.change(owner=owner, by=person(request), **form.cleaned_data)

    if request.method == "POST" and form.is_valid() and unless_refused(form, change):
        messages.success(request, f"The quota of {owner} was saved.")
        return redirect("owner-quota", owner.name)
    context = {"row": _row(owner), "form": form if staff else None}
    return render(request, "pages/quota.html", context)


def _row(owner: Owner) -> Row:
    return Row(owner, *services.measure(owner=owner))
