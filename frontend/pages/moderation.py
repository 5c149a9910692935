"""Reports of environments, quarantine, and the staff's page of reports and runners."""

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

from envyard.contract.needs.kinds import LABELS
from frontend import rates
from frontend.access import (
    demand,
    environment_or_404,
    form_methods,
    refused,
    unless_refused,
    version_or_404,
)
from frontend.pages.environment_head import tabs
from frontend.paging import page
from registry.accounts import runners
from registry.accounts.models import Runner
from registry.catalog.models import Environment, Version
from registry.errors import HubError
from registry.moderation import services
from registry.moderation.models import Report
from registry.provisions import hosts
from registry.read_models import environments, needs
from registry.runs.models import Run
from registry.runs.provided import BY_RUNNER, provided_kinds
from registry.runs.queries import runners_with_runs

MAX_HOSTS = 10  # on the page of everything; a page of their own lists all


class NewReport(forms.Form):
    """Reason, version and description of a report."""

    reason = forms.ChoiceField(label="Reason", choices=Report.Reason.choices)
    version = forms.ModelChoiceField(
        Version.objects.none(), required=False, to_field_name="version", empty_label="all versions"
    )
    text = forms.CharField(
        label="Description",
        max_length=services.MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Where the problem is and how staff can reproduce it.",
    )


@never_cache
@form_methods
@login_required
def report(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Show the form, and store the report."""
    env = environment_or_404(request, owner, name)
    user = demand(request, "environment.report", env)
    number = request.GET.get("version", "")
    form = NewReport(request.POST or None, initial={"version": number})
    visible = env.versions.visible_to(user).newest_first().select_related("environment__owner")
    field = form.fields["version"]
    field.queryset = visible  # type: ignore[attr-defined]
    field.label_from_instance = lambda v: v.version  # type: ignore[attr-defined]

    def send() -> None:
        rates.check(request, "report", person=str(user.pk))
        services.report(environment=env, by=user, **form.cleaned_data)

    if form.is_valid() and unless_refused(form, send):
        messages.success(request, f"Thank you. The staff will review {env}.")
        return redirect("environment", env.owner.name, env.name)
    context = {"env": environments.summary(env), "tabs": tabs(request, env, on=""), "form": form}
    return render(request, "pages/report.html", context, status=400 if form.errors else 200)


@never_cache
@require_safe
@login_required
def moderation(request: HttpRequest) -> HttpResponse:
    """Open reports, oldest first, and the runners."""
    demand(request, "hub.moderate", request.user)
    reports, following = page(request, services.open_reports(), by=("pk",))
    active = Run.with_shards.filter(status__in=Run.LEASED_STATES).select_related(
        "version__environment__owner"
    )
    runner_rows = runners_with_runs().prefetch_related(Prefetch("runs", active, to_attr="at_work"))
    runner_states = [
        (
            runner,
            runners.state_names(runner),
            runners.models(runner),
            runners.pythons(runner),
            runners.out_of_service(runner),
            [LABELS[kind] for kind in sorted(provided_kinds(runner), key=BY_RUNNER.index)],
        )
        for runner in runner_rows
    ]
    waiting = hosts.to_approve()
    context = {
        "reports": reports,
        "next": following,
        "runners": runner_states,
        "hosts": waiting[:MAX_HOSTS],
        "waiting_hosts": waiting.count(),
        "lacks": needs.lacks(),
    }
    return render(request, "pages/moderation.html", context)


@never_cache
@require_safe
@login_required
def hosts_to_approve(request: HttpRequest) -> HttpResponse:
    """All hosts that nobody has approved, the oldest first."""
    demand(request, "hub.moderate", request.user)
    rows, following = page(request, hosts.to_approve(), by=("declared_at", "pk"))
    return render(request, "pages/moderation_hosts.html", {"hosts": rows, "next": following})


@require_POST
@login_required
def drain(request: HttpRequest, pk: int) -> HttpResponse:
    """Assign no new runs to a runner."""
    user = demand(request, "hub.moderate", request.user)
    runner = get_object_or_404(Runner, pk=pk)
    runners.drain(runner=runner, by=user)
    return redirect("moderation")


@require_POST
@login_required
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    """Assign runs to it again."""
    user = demand(request, "hub.moderate", request.user)
    runner = get_object_or_404(Runner, pk=pk)
    runners.resume(runner=runner, by=user)
    return redirect("moderation")


@require_POST
@login_required
def resolve(request: HttpRequest, pk: int) -> HttpResponse:
    """Close a report with a resolution."""
    user = demand(request, "hub.moderate", request.user)
    row = services.rows().filter(pk=pk).first()
    if row is None:
        raise Http404
    resolution = _text(request, "resolution")
    message = f"The report of {row.version or row.environment} is resolved."
    _act(request, partial(services.resolve, report=row, by=user, resolution=resolution), message)
    return redirect("moderation")


@require_POST
@login_required
def quarantine(request: HttpRequest, owner: str, name: str, number: str = "") -> HttpResponse:
    """Quarantine an environment or a version."""
    target = _target(request, owner, name, number)
    verb = "version.quarantine" if number else "environment.quarantine"
    user, reason = demand(request, verb, target), _text(request, "reason")
    act = partial(services.quarantine, target=target, by=user, reason=reason)
    _act(request, act, f"{target} is quarantined.")
    return _redirect_to(target)


@require_POST
@login_required
def release(request: HttpRequest, owner: str, name: str, number: str = "") -> HttpResponse:
    """Release it from quarantine."""
    target = _target(request, owner, name, number)
    verb = "version.quarantine" if number else "environment.quarantine"
    user = demand(request, verb, target)
    _act(request, partial(services.release, target=target, by=user), f"{target} is released.")
    return _redirect_to(target)


def _target(request: HttpRequest, owner: str, name: str, number: str) -> Environment | Version:
    if number:
        return version_or_404(request, owner, name, number)
    return environment_or_404(request, owner, name)


def _text(request: HttpRequest, field: str) -> str:
    return request.POST.get(field, "").replace("\0", "")


def _act(request: HttpRequest, act: Callable[[], object], message: str) -> None:
    """Perform the action; the next page shows the message or the refusal."""
    try:
        act()
    except HubError as problem:
        refused(request, problem)
    else:
        messages.success(request, message)


def _redirect_to(target: Environment | Version) -> HttpResponse:
    if isinstance(target, Version):
        env = target.environment
        return redirect("version", env.owner.name, env.name, target.version)
    return redirect("environment", target.owner.name, target.name)
