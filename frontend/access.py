"""Fetch what a page is about, or answer 404 for what its reader may not know exists."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import cast
from uuid import UUID

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from envyard.contract.names import BadName, canonical_version, normalise
from registry.accounts.models import User
from registry.accounts.permissions import Object, can, require
from registry.catalog.models import Environment, Version
from registry.catalog.transfer import moved_to
from registry.errors import HubError, NotFound
from registry.runs.models import Run

View = Callable[..., HttpResponse]
# Of a page with a form that comes back to it.
takes_form = require_http_methods(["GET", "HEAD", "POST"])


def lately(view: View) -> View:
    """Take a POST only of who signed in or typed the password lately; else ask for it first."""
    return cast("View", reauthentication_required(view, allow_get=True))


def person(request: HttpRequest) -> User:
    """Who is signed in; raises PermissionDenied for nobody."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def environment_or_404(request: HttpRequest, owner: str, name: str) -> Environment:
    """The environment with its owner, tags and latest version."""
    rows = Environment.objects.for_page()
    found = rows.filter(owner__name=owner.lower(), name=normalise(name)).first()
    if found is None or not can(request.user, "environment.see", found):
        raise Http404
    return found


def follows_moves(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page under owner and name; a former name leads those to the new one who may see it."""

    def following(request: HttpRequest, owner: str, name: str, **rest: str) -> HttpResponse:
        try:
            return view(request, owner, name, **rest)
        except Http404:
            now, match = moved_to(owner=owner, name=name), request.resolver_match
            if now is None or match is None or not can(request.user, "environment.see", now):
                raise
        place = {"owner": now.owner.name, "name": now.name, **rest}
        answer = redirect(match.view_name, permanent=True, **place)
        answer["Cache-Control"] = "no-cache"  # it may come back
        return answer

    functools.update_wrapper(following, view)
    return following


def version_or_404(request: HttpRequest, owner: str, name: str, number: str) -> Version:
    """The version, however name and number are spelled, with its environment and owner."""
    try:
        version = canonical_version(number)
    except BadName:
        raise Http404 from None
    found = (
        Version.objects.select_related("environment__owner", "uploaded_by")
        .filter(environment__owner__name=owner.lower(), environment__name=normalise(name))
        .filter(version=version)
        .first()
    )
    if found is None or not can(request.user, "version.see", found):
        raise Http404
    return found


def run_or_404(request: HttpRequest, pk: UUID) -> Run:
    """The run with its version, environment, owner and runner."""
    found = (
        Run.objects.select_related("version__environment__owner", "runner").filter(pk=pk).first()
    )
    if found is None or not can(request.user, "run.see", found):
        raise Http404
    return found


def refused(request: HttpRequest, problem: HubError) -> None:
    """Show a refusal on the next page."""
    messages.error(request, told(problem))


def told(problem: HubError) -> str:
    """Message and hint as sentences."""
    message = problem.message[:1].upper() + problem.message[1:]
    return f"{message.rstrip('.')}. {problem.hint}".strip()


def demand(request: HttpRequest, verb: str, obj: Object) -> User:
    """Who is signed in, where they may do that; else the page 404 or 403 that says why."""
    try:
        require(request.user, verb, obj)
    except NotFound:
        raise Http404 from None
    except HubError as problem:
        raise PermissionDenied(told(problem)) from None
    return person(request)


def unless_refused(form: forms.Form, act: Callable[[], object]) -> bool:
    """Did it work? Where not, the refusal stands under the field that it names."""
    try:
        act()
    except HubError as problem:
        field = str(problem.details.get("field", ""))
        form.add_error(field if field in form.fields else None, told(problem))
        return False
    return True
