"""Reporting an environment, and what staff do about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from frontend import rates
from frontend.access import (
    demand,
    environment_or_404,
    refused,
    takes_form,
    unless_refused,
    version_or_404,
)
from frontend.paging import page
from registry.accounts import runners
from registry.accounts.models import Runner
from registry.api import shapes
from registry.api.runners import rows
from registry.catalog.models import Environment, Version
from registry.errors import HubError
from registry.moderation import services
from registry.moderation.models import Report
from registry.runs.models import Run


class NewReport(forms.Form):
    """What is wrong, and with which version."""

    reason = forms.ChoiceField(label="Reason", choices=Report.Reason.choices)
    version = forms.ModelChoiceField(
        Version.objects.none(), required=False, to_field_name="version", empty_label="all versions"
    )
    text = forms.CharField(
        label="Description",
        max_length=services.LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Where the problem is and how staff can reproduce it.",
    )


@never_cache
@takes_form
@login_required
def report(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """The form, and the thanks for it."""
    env = environment_or_404(request, owner, name)
    user = demand(request, "environment.report", env)
    asked = request.GET.get("version", "")
    form = NewReport(request.POST or None, initial={"version": asked})
    visible = env.versions.visible_to(user).newest_first().select_related("environment__owner")
    field = form.fields["version"]
    field.queryset = visible  # type: ignore[attr-defined]
    field.label_from_instance = lambda v: v.version  # type: ignore[attr-defined]

    def send() -> None:
        rates.check(request, "report", who=str(user.pk))
        services.report(environment=env, by=user, **form.cleaned_data)

    if form.is_valid() and unless_refused(form, send):
        messages.success(request, f"Thank you. The staff will review {env}.")
        return redirect("environment", env.owner.name, env.name)
    context = {"env": shapes.environment_summary(env), "form": form}
    return render(request, "pages/report.html", context, status=400 if form.errors else 200)


@never_cache
@require_safe
@login_required
def moderation(request: HttpRequest) -> HttpResponse:
    """The open reports, the oldest first, and the runners."""
    demand(request, "hub.moderate", request.user)
    reports, following = page(request, services.open_reports(), by=("pk",))
    held = Run.objects.filter(status__in=Run.LEASED_STATES).select_related(
        "version__environment__owner"
    )
    every = rows().prefetch_related(Prefetch("runs", held, to_attr="at_work"))
    known = [
        (
            one,
            runners.standing(one),
            runners.models(one),
            runners.pythons(one),
            runners.out_of_service(one),
        )
        for one in every
    ]
    context = {"reports": reports, "next": following, "runners": known}
    return render(request, "pages/moderation.html", context)


@require_POST
@login_required
def drain(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a runner no new runs."""
    user = demand(request, "hub.moderate", request.user)
    runner = get_object_or_404(Runner, pk=pk)
    runners.drain(runner=runner, by=user)
    return redirect("moderation")


@require_POST
@login_required
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    """Give it runs again."""
    user = demand(request, "hub.moderate", request.user)
    runner = get_object_or_404(Runner, pk=pk)
    runners.resume(runner=runner, by=user)
    return redirect("moderation")


@require_POST
@login_required
def resolve(request: HttpRequest, pk: int) -> HttpResponse:
    """Close one with a sentence."""
    user = demand(request, "hub.moderate", request.user)
    found = services.rows().filter(pk=pk).first()
    if found is None:
        raise Http404
    said = _text(request, "resolution")
    done = f"The report of {found.version or found.environment} is resolved."
    _act(request, partial(services.resolve, report=found, by=user, resolution=said), done)
    return redirect("moderation")


@require_POST
@login_required
def quarantine(request: HttpRequest, owner: str, name: str, number: str = "") -> HttpResponse:
    """Take an environment or a version from everybody."""
    thing = _thing(request, owner, name, number)
    verb = "version.quarantine" if number else "environment.quarantine"
    user, reason = demand(request, verb, thing), _text(request, "reason")
    act = partial(services.quarantine, thing=thing, by=user, reason=reason)
    _act(request, act, f"{thing} is quarantined.")
    return _back(thing)


@require_POST
@login_required
def release(request: HttpRequest, owner: str, name: str, number: str = "") -> HttpResponse:
    """Give it back."""
    thing = _thing(request, owner, name, number)
    verb = "version.quarantine" if number else "environment.quarantine"
    user = demand(request, verb, thing)
    _act(request, partial(services.release, thing=thing, by=user), f"{thing} is released.")
    return _back(thing)


def _thing(request: HttpRequest, owner: str, name: str, number: str) -> Environment | Version:
    if number:
        return version_or_404(request, owner, name, number)
    return environment_or_404(request, owner, name)


def _text(request: HttpRequest, field: str) -> str:
    return request.POST.get(field, "").replace("\0", "")


def _act(request: HttpRequest, act: Callable[[], object], done: str) -> None:
    """Do it, and let the next page say so, or why not."""
    try:
        act()
    except HubError as problem:
        refused(request, problem)
    else:
        messages.success(request, done)


def _back(thing: Environment | Version) -> HttpResponse:
    if isinstance(thing, Version):
        env = thing.environment
        return redirect("version", env.owner.name, env.name, thing.version)
    return redirect("environment", thing.owner.name, thing.name)
