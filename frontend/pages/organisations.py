"""A person's organisations, and the page of one organisation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from frontend import rates
from frontend.access import (
    demand,
    form_methods,
    organisation_or_404,
    person,
    refused,
    requires_recent_sign_in,
    unless_refused,
)
from registry.accounts import invitations, services
from registry.accounts.models import Membership, Organisation, User
from registry.accounts.permissions import can, require
from registry.errors import HubError


class NewOrganisation(forms.Form):
    """Name and title."""

    name = forms.CharField(
        max_length=39,
        help_text="The prefix of its environments: lower-case letters, digits and hyphens.",
    )
    title = forms.CharField(max_length=100, required=False, help_text="The name that pages show.")


class Title(forms.Form):
    """A new title."""

    title = forms.CharField(max_length=100, required=False)


class Invite(forms.Form):
    """User and role of an invitation."""

    to = forms.CharField(label="User name or email address", max_length=254)
    role = forms.ChoiceField(
        choices=[
            (Membership.Role.MEMBER, "member – sees private environments"),
            (Membership.Role.MAINTAINER, "maintainer – publishes too"),
            (Membership.Role.OWNER, "owner – manages people too"),
        ]
    )


@form_methods
@never_cache
@login_required
def organisations(request: HttpRequest) -> HttpResponse:
    """The person's memberships, and the form for a new organisation."""
    user = person(request)
    form = NewOrganisation(request.POST or None)
    if form.is_valid() and unless_refused(form, partial(_create, request, user, form)):
        return redirect("organisation", form.cleaned_data["name"])
    memberships = user.memberships.select_related("organisation__owner").order_by(
        "organisation__owner__name"
    )
    return render(request, "pages/organisations.html", {"form": form, "memberships": memberships})


def _create(request: HttpRequest, user: User, form: forms.Form) -> None:
    require(user, "account.organise", user)
    rates.check(request, "organisation", person=str(user.pk))
    services.create_organisation(**form.cleaned_data, by=user)


@require_safe
@never_cache
@login_required
def organisation(request: HttpRequest, name: str) -> HttpResponse:
    """Members, invitations and title; owners can change them."""
    row = organisation_or_404(request, name)
    return _page(request, row, Invite(), Title(initial={"title": row.title}))


@require_POST
@login_required
def rename(request: HttpRequest, name: str) -> HttpResponse:
    """Change the title."""
    organisation, by = _managed(request, name)
    form = Title(request.POST)
    if form.is_valid() and unless_refused(
        form, partial(services.rename, organisation=organisation, **form.cleaned_data, by=by)
    ):
        return redirect("organisation", name)
    return _page(request, organisation, Invite(), form)


@require_POST
@login_required
@requires_recent_sign_in
def invite(request: HttpRequest, name: str) -> HttpResponse:
    """Invite somebody."""
    organisation, by = _managed(request, name)
    form = Invite(request.POST)

    def send() -> None:
        rates.check(request, "invitation", person=str(by.pk))
        invitations.invite(organisation=organisation, **form.cleaned_data, by=by)

    if form.is_valid() and unless_refused(form, send):
        return redirect("organisation", name)
    return _page(request, organisation, form, Title(initial={"title": organisation.title}))


@require_POST
@login_required
def withdraw(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Withdraw an invitation."""
    organisation, by = _managed(request, name)
    row = invitations.open_invitations().filter(organisation=organisation, pk=pk).first()
    if row is None:
        raise Http404
    return _change_and_redirect(request, name, partial(invitations.withdraw, invitation=row, by=by))


@require_POST
@login_required
@requires_recent_sign_in
def member(request: HttpRequest, name: str, username: str) -> HttpResponse:
    """Change a member's role, or remove the member if no role is given."""
    organisation, by = _managed(request, name)
    user = _member(organisation, username)
    role = request.POST.get("role", "")
    if role:
        return _change_and_redirect(
            request,
            name,
            partial(services.add_member, organisation=organisation, user=user, role=role, by=by),
        )
    return _change_and_redirect(
        request, name, partial(services.remove_member, organisation=organisation, user=user, by=by)
    )


@require_POST
@login_required
def leave(request: HttpRequest, name: str) -> HttpResponse:
    """End the person's own membership."""
    organisation = organisation_or_404(request, name)
    user = demand(request, "organisation.leave", organisation)
    try:
        services.remove_member(organisation=organisation, user=user, by=user)
    except HubError as problem:
        refused(request, problem)
        return redirect("organisation", name)
    return redirect("organisations")


def _managed(request: HttpRequest, name: str) -> tuple[Organisation, User]:
    organisation = organisation_or_404(request, name)
    return organisation, demand(request, "organisation.manage", organisation)


def _member(organisation: Organisation, username: str) -> User:
    user = User.objects.filter(memberships__organisation=organisation, username=username).first()
    if user is None:
        raise Http404
    return user


def _change_and_redirect(
    request: HttpRequest, name: str, change: Callable[[], object]
) -> HttpResponse:
    """Perform the change and redirect to the page, which shows a refusal."""
    try:
        change()
    except HubError as problem:
        refused(request, problem)
    return redirect("organisation", name)


def _page(
    request: HttpRequest, organisation: Organisation, form: forms.Form, title: forms.Form
) -> HttpResponse:
    context = {
        "organisation": organisation,
        "members": organisation.memberships.select_related("user").order_by("user__username"),
        "manages": can(request.user, "organisation.manage", organisation),
        "belongs": can(request.user, "organisation.leave", organisation),
        "invitations": invitations.open_invitations()
        .filter(organisation=organisation)
        .order_by("pk"),
        "roles": Membership.Role.values,
        "form": form,
        "title_form": title,
    }
    return render(request, "pages/organisation.html", context)
