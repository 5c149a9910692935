"""Invitations to organisations: the reader's open ones, and the one of a link."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from frontend.access import form_methods, person, refused
from registry.accounts import invitations as service
from registry.accounts.models import Invitation, User
from registry.errors import HubError, NotFound


@require_safe
@never_cache
@login_required
def invitations(request: HttpRequest) -> HttpResponse:
    """The open invitations to the reader's user name."""
    rows = service.open_invitations().filter(user=person(request)).order_by("pk")
    return render(request, "pages/invitations.html", {"invitations": rows})


@require_POST
@login_required
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept or decline one of them."""
    user = person(request)
    row = service.open_invitations().filter(user=user, pk=pk).first()
    if row is None:
        raise Http404
    return _answered(request, row, user)


@form_methods
@never_cache
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """The invitation of a link in a mail.

    Signed-out readers see it too, because the link is secret, and sign in to answer.
    """
    user = request.user if isinstance(request.user, User) else None
    if request.method == "POST" and user is None:
        return redirect_to_login(request.path)
    try:
        row = service.find(secret=secret, user=user)
    except NotFound:
        return render(request, "pages/invitation.html", status=404)
    if request.method == "POST" and user is not None:
        return _answered(request, row, user)
    return render(request, "pages/invitation.html", {"invitation": row})


def _answered(request: HttpRequest, row: Invitation, user: User) -> HttpResponse:
    accepted = request.POST.get("answer") == "accept"
    try:
        (service.accept if accepted else service.decline)(invitation=row, user=user)
    except HubError as problem:
        refused(request, problem)
        accepted = False
    return (
        redirect("organisation", row.organisation.owner.name)
        if accepted
        else redirect("invitations")
    )
