"""The public page of a person or organisation: name, title and environments."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from frontend.access import owner_or_404
from frontend.paging import page
from registry.accounts.permissions import can
from registry.catalog.models import Environment
from registry.read_models import environments


@require_safe
def owner(request: HttpRequest, name: str) -> HttpResponse:
    """The environments that the reader may see."""
    if name != name.lower():
        return redirect("owner", name.lower(), permanent=True)
    row = owner_or_404(name)
    visible = Environment.objects.visible_to(request.user).filter(owner=row).for_summary()
    rows, following = page(request, visible, by=("name", "pk"))
    organisation = row.organisation
    context = {
        "owner": row,
        "belongs": organisation and can(request.user, "organisation.see", organisation),
        "publishes": can(request.user, "owner.publish", row),
        "sees_quota": can(request.user, "owner.quota", row),
        "reads_journal": can(request.user, "owner.journal", row),
        "environments": environments.summaries(rows),
        "next": following,
    }
    return render(request, "pages/owner.html", context)
