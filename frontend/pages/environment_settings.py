"""Settings of an environment: visibility, deprecation, transfer and deletion."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from frontend.access import demand, environment_or_404, person, unless_refused
from frontend.pages.environment_head import tabs
from registry.accounts.models import Owner, User
from registry.accounts.permissions import PUBLISHERS, can, require
from registry.catalog import overlays, services
from registry.catalog.deletion import delete_environment
from registry.catalog.models import Environment
from registry.catalog.transfer import transfer as give
from registry.read_models import environments


class Visibility(forms.Form):
    """Public or private."""

    visibility = forms.ChoiceField(
        label="Visible to",
        choices=[
            (Environment.Visibility.PUBLIC, "public – everyone can see and install it"),
            (
                Environment.Visibility.PRIVATE,
                "private – only its owner and their members can see it",
            ),
        ],
    )


class Deprecation(forms.Form):
    """The reason and the replacement."""

    reason = forms.CharField(
        max_length=overlays.MAX_REASON, help_text="Shown on its page and by hub install."
    )
    successor = forms.CharField(
        max_length=140,
        required=False,
        help_text="owner/name of the environment to use instead, if any.",
    )


class Transfer(forms.Form):
    """The new owner: one under which the person may publish."""

    owner = forms.ModelChoiceField(
        Owner.objects.none(), label="New owner", to_field_name="name", empty_label="Choose…"
    )
    confirm = forms.CharField(max_length=140)


class Deletion(forms.Form):
    """The typed name as a confirmation."""

    confirm = forms.CharField(max_length=140)


def confirmed(form: forms.Form, name: str) -> bool:
    """Whether the form is valid and the typed name is correct."""
    if form.is_valid() and form.cleaned_data["confirm"].strip() != name:
        form.add_error("confirm", f"Type {name} to confirm.")
    return form.is_valid()


@require_safe
@never_cache
@login_required
def settings(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """The page with all forms that the person may use."""
    env = environment_or_404(request, owner, name)
    demand(request, "environment.manage", env)
    return page(request, env)


def page(request: HttpRequest, env: Environment, **bound: forms.Form) -> HttpResponse:
    """The page; `bound` holds a refused form with its input."""
    owns = can(request.user, "environment.delete", env)
    initial = {"reason": env.deprecation_reason, "successor": env.shown_successor or ""}
    context: dict[str, Any] = {
        "env": environments.summary(env),
        "publishes": can(request.user, "environment.publish", env),
        "tabs": tabs(request, env, on="settings"),
        "visibility": Visibility(initial={"visibility": env.visibility}),
        "deprecation": Deprecation(initial=initial),
        "transfer": transfer_form(person(request), env, None) if owns else None,
        "deletion": deletion_form(env, None) if owns else None,
    }
    status = 400 if bound else 200
    return render(request, "pages/environment_settings.html", context | bound, status=status)


def transfer_form(user: User, env: Environment, data: Any) -> forms.Form:
    """The form with the owners that the person may select."""
    form = Transfer(data, auto_id="transfer_%s")
    may = [pk for pk, role in user.roles.items() if role in PUBLISHERS and pk != env.owner_id]
    field = form.fields["owner"]
    field.queryset = Owner.objects.filter(pk__in=may).order_by("name")  # type: ignore[attr-defined]
    return labelled(form, env)


def deletion_form(env: Environment, data: Any) -> forms.Form:
    """The form, with ids that differ from those of the transfer form."""
    return labelled(Deletion(data, auto_id="deletion_%s"), env)


def labelled(form: forms.Form, env: Environment) -> forms.Form:
    """Set the label with the name to type."""
    form.fields["confirm"].label = f"Type {env} to confirm"
    form.fields["confirm"].widget.attrs["autocomplete"] = "off"
    return form


@require_POST
@login_required
def set_visibility(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Make it public or private."""
    env, user = managed(request, owner, name, "environment.manage")
    form = Visibility(request.POST)
    act = partial(services.set_visibility, environment=env, by=user)
    if form.is_valid() and unless_refused(form, lambda: act(**form.cleaned_data)):
        return redirect_with_message(request, env, f"{env} is {env.visibility}.")
    return page(request, env, visibility=form)


@require_POST
@login_required
def deprecate(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Deprecate it, or change the reason and the replacement."""
    env, user = managed(request, owner, name, "environment.deprecate")
    form = Deprecation(request.POST)

    def act() -> None:
        successor = overlays.parse_successor(form.cleaned_data["successor"], actor=user)
        reason = form.cleaned_data["reason"]
        overlays.deprecate(environment=env, by=user, reason=reason, successor=successor)

    if form.is_valid() and unless_refused(form, act):
        return redirect_with_message(request, env, f"{env} is deprecated.")
    return page(request, env, deprecation=form)


@require_POST
@login_required
def undeprecate(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Undo the deprecation."""
    env, user = managed(request, owner, name, "environment.deprecate")
    form = Deprecation({})
    if unless_refused(form, partial(overlays.undeprecate, environment=env, by=user)):
        return redirect_with_message(request, env, f"{env} is no longer deprecated.")
    return page(request, env, deprecation=form)


@require_POST
@login_required
def transfer(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Transfer it to another owner."""
    env, user = managed(request, owner, name, "environment.transfer")
    form, was = transfer_form(user, env, request.POST), str(env)

    def act() -> None:
        to = form.cleaned_data["owner"]
        require(user, "owner.publish", to)
        give(environment=env, to=to, by=user)

    if confirmed(form, was) and unless_refused(form, act):
        return redirect_with_message(
            request, env, f"{was} is now {env}. The old address redirects here."
        )
    return page(request, env, transfer=form)


@require_POST
@login_required
def delete(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Delete it and all its versions permanently."""
    env, user = managed(request, owner, name, "environment.delete")
    form = deletion_form(env, request.POST)
    act: Callable[[], None] = partial(delete_environment, environment=env, by=user)
    if confirmed(form, str(env)) and unless_refused(form, act):
        messages.success(request, f"{env} was deleted.")
        return redirect("owner", env.owner.name)
    return page(request, env, deletion=form)


def managed(request: HttpRequest, owner: str, name: str, verb: str) -> tuple[Environment, User]:
    """The environment and the signed-in user, if they may perform the verb."""
    env = environment_or_404(request, owner, name)
    return env, demand(request, verb, env)


def redirect_with_message(request: HttpRequest, env: Environment, message: str) -> HttpResponse:
    """Redirect to the settings with the message, or to the environment without rights to them."""
    messages.success(request, message)
    manages = can(request.user, "environment.manage", env)
    page = "environment-settings" if manages else "environment"
    return redirect(page, env.owner.name, env.name)
