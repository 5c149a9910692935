"""Request an evaluation of a model on a version, and see its place in the queue."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from envyard.contract.suite import FULL
from frontend import rates
from frontend.access import (
    demand,
    follows_moves,
    form_methods,
    run_or_404,
    sentences,
    version_or_404,
)
from frontend.pages.environment_head import tabs
from frontend.pages.refresh_interval import pace
from frontend.render import plain
from registry.accounts import runners
from registry.accounts.models import User
from registry.accounts.permissions import can
from registry.catalog.models import Version
from registry.errors import HubError
from registry.read_models import environments, runs, under_way
from registry.runs import evaluations, suites, waiting
from registry.runs.models import Run
from registry.runs.suite_models import Suite

OWN_SIZE = "own-size"
SHOWN_MODELS = 8
ONLY_OWN = "Counts with “numbers of your own” alone."


class NewEvaluation(forms.Form):
    """Model and suite; tasks and attempts for those who may define suites."""

    model = forms.CharField(max_length=evaluations.MAX_MODEL)
    suite = forms.ChoiceField()
    tasks = forms.IntegerField(required=False, initial=50, help_text=ONLY_OWN)
    attempts = forms.IntegerField(required=False, initial=4, help_text=ONLY_OWN)

    def __init__(
        self, *args: Any, version: Version, models: list[str], defines: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.version = version
        model, suite = self.fields["model"], self.fields["suite"]
        model.initial = models[0] if models else ""
        model.widget.attrs |= {"list": "models", "autocomplete": "off"}
        model.help_text = (
            format_html("Ready now: {}.", plain.visible(", ".join(models[:SHOWN_MODELS])))
            if models
            else "The name under which a runner will serve it."
        )
        choices = [(row.name, label(row)) for row in suites.of_environment(version.environment)]
        if defines:
            choices.append((OWN_SIZE, "numbers of your own, below: defines a suite for good"))
        else:
            del self.fields["tasks"], self.fields["attempts"]
        suite.initial = FULL
        suite.choices = choices  # type: ignore[attr-defined]

    def request(self, by: User) -> Run:
        """The queued run; raises HubError."""
        values, environment = self.cleaned_data, self.version.environment
        if values["suite"] == OWN_SIZE:
            suite = suites.of_size(
                environment=environment,
                tasks=values["tasks"] or 0,
                attempts=values["attempts"] or 0,
                by=by,
            )
        else:
            suite = suites.named(environment, values["suite"])
        return evaluations.request(
            version=self.version, model=values["model"].strip(), suite=suite, by=by
        )


def label(suite: Suite) -> str:
    """`full: up to 100 tasks × 4 attempts`."""
    return f"{suite.name}: {suite.frozen.tasks_text} × {suite.frozen.attempts} attempts"


def may_request(request: HttpRequest, version: Version) -> bool:
    """Whether the version's page offers it."""
    listed = version.status == Version.Status.LISTED
    return listed and can(request.user, "version.evaluate", version)


@form_methods
@login_required
@follows_moves
def evaluate(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """The form; a request leads to the run's place in the queue."""
    version = version_or_404(request, owner, name, number)
    user = demand(request, "version.evaluate", version)
    models = runners.models_offered()
    defines = can(user, "environment.deprecate", version.environment)
    form = NewEvaluation(request.POST or None, version=version, models=models, defines=defines)
    if form.is_valid():
        try:
            rates.check(request, "evaluation", person=str(user.pk))
            return redirect("run-queue", form.request(user).pk)
        except HubError as problem:
            field = str(problem.details.get("field", ""))
            form.add_error(field if field in form.fields else None, sentences(problem))
    context = {
        "env": environments.summary(version.environment),
        "version": version,
        "tabs": tabs(request, version.environment, on="evaluations"),
        "form": form,
        "models": models,
        "defines": defines,
        "active": evaluations.active_of(user),
        "limit": None if user.is_staff else settings.HUB_ACTIVE_EVALUATIONS,
    }
    return render(request, "pages/evaluate.html", context)


@require_safe
def queue(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The place of a waiting run; the run's own page where it does not wait."""
    run = run_or_404(request, pk)
    context = queue_context(request, run)
    if context is None:
        return redirect("run", pk)
    context |= {
        "env": environments.summary(run.version.environment),
        "tabs": tabs(request, run.version.environment, on="evaluations"),
    }
    return render(request, "pages/queue.html", context)


@require_safe
def queue_live(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The part that changes; leads to the run's page once it waits no longer. 204 if nothing has
    changed since `seen`."""
    run = run_or_404(request, pk)
    context = queue_context(request, run)
    if context is None:
        return HttpResponseClientRedirect(reverse("run", args=[pk]))
    if request.GET.get("seen") == context["seen"]:
        return HttpResponse(status=204)
    return render(request, "parts/queue_live.html", context)


def queue_context(request: HttpRequest, run: Run) -> dict[str, Any] | None:
    """The place, what runs now and whether the person may cancel; None where the run does not
    wait. `seen` changes whenever that does."""
    followed = runs.followed(run)
    position = followed.queue
    if position is None:
        return None
    executed = under_way.of_model(run.model, actor=request.user)
    lacking = waiting.lacking(run)
    stopping = run.cancel_requested_at is not None
    place = (position.before, position.waiting, position.runners, position.under_way)
    progress = (f"{row.id}.{row.status}.{row.done}" for row in executed)
    states = (bool(lacking), stopping, followed.not_before)
    return {
        "run": followed,
        "position": position,
        "executed": executed,
        "hidden": max(position.under_way - len(executed), 0),
        "lacking": lacking,
        "may_cancel": not stopping
        and run.parent_id is None
        and can(request.user, "run.cancel", run),
        "stopping": stopping,
        "pace": pace(position),
        "seen": "-".join(map(str, (*place, *progress, *states))),
    }
