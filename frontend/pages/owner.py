"""The public page of a person or organisation: name, environments and public activity."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from frontend.access import owner_or_404
from frontend.paging import page
from registry.accounts.models import Owner, User
from registry.accounts.permissions import Actor, can
from registry.catalog.models import Environment
from registry.read_models import activity, environments


@require_safe
def owner(request: HttpRequest, name: str) -> HttpResponse:
    """The environments that the reader may see, and what anybody may see of the activity."""
    if name != name.lower():
        return redirect("owner", name.lower(), permanent=True)
    row = owner_or_404(name)
    visible = Environment.objects.visible_to(request.user).filter(owner=row).for_list()
    rows, following = page(request, visible, by=("name", "pk"))
    organisation = row.organisation
    context = {
        "owner": row,
        "belongs": organisation and can(request.user, "organisation.see", organisation),
        "publishes": can(request.user, "owner.publish", row),
        "sees_quota": can(request.user, "owner.quota", row),
        "reads_journal": can(request.user, "owner.journal", row),
        "environments": environments.summaries(rows),
        "statuses": environments.newest_statuses(rows),
        "next": following,
        "activity": activity.of_owner(row),
        "organisations": shared_organisations(request.user, row),
        "since": row.user.date_joined if row.user else organisation and organisation.created_at,
    }
    return render(request, "pages/owner.html", context)


def shared_organisations(reader: Actor, owner: Owner) -> QuerySet[Owner]:
    """Organisations of the person of which the reader is a member too: who belongs to one is known
    to its members only."""
    rows = Owner.objects.filter(organisation__memberships__user=owner.user_id)
    if not isinstance(reader, User) or owner.user_id is None:
        return rows.none()
    mine = Owner.objects.filter(organisation__memberships__user=reader)
    return rows.filter(pk__in=mine).select_related("organisation").order_by("name")
