"""Variables, secrets and hosts of an environment, in its settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from envyard.contract.needs.declarations import MAX_VALUE
from envyard.contract.needs.kinds import MAX_HOST, MAX_VARIABLE_NAME
from frontend import rates
from frontend.access import demand, environment_or_404, person, unless_refused
from frontend.pages.environment_head import tabs
from frontend.pages.environment_settings import managed
from registry.accounts.permissions import can
from registry.catalog.models import Environment
from registry.errors import NotFound
from registry.provisions import cipher, hosts, services
from registry.read_models import environments
from registry.read_models import provisions as read_models

FORM = "EXA_API_KEY: capitals, digits and _."


class NewVariable(forms.Form):
    """Name and value."""

    prefix = "variable"
    name = forms.CharField(max_length=MAX_VARIABLE_NAME, help_text="Such as DIFFICULTY.")
    value = forms.CharField(
        max_length=MAX_VALUE, required=False, help_text="Public: pages and runs show it."
    )


class NewSecret(forms.Form):
    """Name, value and hosts; the value is never shown again, not even in a refused form."""

    prefix = "secret"
    name = forms.CharField(max_length=MAX_VARIABLE_NAME, help_text=f"Such as {FORM}")
    value = forms.CharField(
        max_length=MAX_VALUE,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Nobody can read it again.",
    )
    hosts = forms.MultipleChoiceField(
        label="Hosts that may receive it", widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, env: Environment, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        choices = [(row.host, row.host) for row in hosts.of(env)]
        self.fields["hosts"].choices = choices  # type: ignore[attr-defined]


class NewHost(forms.Form):
    """A host."""

    prefix = "host"
    host = forms.CharField(
        max_length=MAX_HOST, help_text="api.example.org, or *.example.org for one label before it."
    )


@never_cache
@require_safe
@login_required
def provisions(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """The page with all three."""
    env = environment_or_404(request, owner, name)
    demand(request, "environment.manage", env)
    return page(request, env)


def page(request: HttpRequest, env: Environment, **submitted: forms.Form) -> HttpResponse:
    """The page; `submitted` forms keep their input and errors."""
    version = env.latest or env.versions.newest_first().first()
    context: dict[str, Any] = {
        "env": environments.summary(env),
        "declared": version.variables if version else {},
        "declared_by": version.version if version else "",
        "tabs": tabs(request, env, on="settings"),
        "variables": [read_models.variable(row) for row in env.variables.select_related("set_by")],
        "secrets": [read_models.secret(row) for row in env.secrets.select_related("set_by")],
        "hosts": [read_models.host(row) for row in hosts.of(env).select_related("approved_by")],
        "has_key": cipher.is_available(),
        "sets_secrets": can(request.user, "environment.set_secrets", env),
        "may_approve": can(request.user, "environment.approve_hosts", env),
        "new_variable": NewVariable(),
        "new_secret": NewSecret(env),
        "new_host": NewHost(),
    }
    return render(
        request, "pages/provisions.html", context | submitted, status=400 if submitted else 200
    )


@require_POST
@login_required
def set_variable(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Set a variable."""
    env, user = managed(request, owner, name, "environment.manage")
    act = partial(services.set_variable, environment=env, by=user)
    form = NewVariable(request.POST)
    return _submitted(request, env, form, act, "{name} is set for later runs.")


@sensitive_post_parameters("secret-value")
@require_POST
@login_required
def set_secret(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Set a secret."""
    env, user = managed(request, owner, name, "environment.set_secrets")

    def act(name: str, value: str, hosts: list[str]) -> None:
        services.set_secret(environment=env, name=name, value=value, to_hosts=hosts, by=user)

    form = NewSecret(env, request.POST)
    return _submitted(request, env, form, act, "{name} is set for later runs.")


@require_POST
@login_required
def add_host(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Declare a host."""
    env, user = managed(request, owner, name, "environment.manage")
    act = partial(hosts.add, environment=env, by=user)
    return _submitted(request, env, NewHost(request.POST), act, "{host} is declared.")


@require_POST
@login_required
def delete_variable(request: HttpRequest, owner: str, name: str, variable: str) -> HttpResponse:
    """Delete a variable."""
    env, user = managed(request, owner, name, "environment.manage")
    act = partial(services.delete_variable, environment=env, name=variable, by=user)
    return _deleted(request, env, variable, act)


@require_POST
@login_required
def delete_secret(request: HttpRequest, owner: str, name: str, key: str) -> HttpResponse:
    """Delete a secret, if its name was typed."""
    env, user = managed(request, owner, name, "environment.set_secrets")
    if request.POST.get("confirm", "").strip() != key:
        messages.error(request, f"{key} was not deleted: type {key} to confirm.")
        return redirect("environment-provisions", env.owner.name, env.name)
    act = partial(services.delete_secret, environment=env, name=key, by=user)
    return _deleted(request, env, key, act)


@require_POST
@login_required
def remove_host(request: HttpRequest, owner: str, name: str, host: str) -> HttpResponse:
    """Remove a host that an owner declared."""
    env, user = managed(request, owner, name, "environment.manage")
    return _deleted(request, env, host, partial(hosts.remove, environment=env, host=host, by=user))


@require_POST
@login_required
def approve_host(request: HttpRequest, owner: str, name: str, host: str) -> HttpResponse:
    """Approve a host."""
    env, user = managed(request, owner, name, "environment.approve_hosts")
    _existing(partial(hosts.approve, environment=env, host=host, by=user))
    return _saved(request, env, f"Later runs may reach {host}.")


@require_POST
@login_required
def refuse_host(request: HttpRequest, owner: str, name: str, host: str) -> HttpResponse:
    """End the approval of a host."""
    env, user = managed(request, owner, name, "environment.approve_hosts")
    _existing(partial(hosts.refuse, environment=env, host=host, by=user))
    return _saved(request, env, f"Later runs may not reach {host}.")


def _submitted(
    request: HttpRequest,
    env: Environment,
    form: forms.Form,
    act: Callable[..., object],
    message: str,
) -> HttpResponse:
    """Call `act` with the form's fields; without success, the page with the form's errors."""

    def act_within_rate() -> None:
        rates.check(request, "provision", person=str(person(request).pk))
        act(**form.cleaned_data)

    if form.is_valid() and unless_refused(form, act_within_rate):
        return _saved(request, env, message.format(**form.cleaned_data))
    return page(request, env, **{f"new_{form.prefix}": form})


def _deleted(
    request: HttpRequest, env: Environment, name: str, act: Callable[[], object]
) -> HttpResponse:
    _existing(act)
    return _saved(request, env, f"{name} was removed.")


def _existing(act: Callable[[], object]) -> None:
    try:
        act()
    except NotFound:
        raise Http404 from None


def _saved(request: HttpRequest, env: Environment, message: str) -> HttpResponse:
    messages.success(request, message)
    if (following := request.POST.get("next")) in ("moderation", "moderation-hosts"):
        return redirect(following)
    return redirect("environment-provisions", env.owner.name, env.name)
