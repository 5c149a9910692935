"""Look up the objects of a page; 404 for those whose existence its reader may not see."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import cast
from uuid import UUID

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from envyard.contract.names import normalise
from registry import lookup
from registry.accounts.models import Organisation, Owner, User
from registry.accounts.permissions import Object, require
from registry.catalog.models import Environment, Version
from registry.errors import HubError, NotFound
from registry.lookup import Check
from registry.runs.models import Run
from registry.self_reported.models import Evaluation

View = Callable[..., HttpResponse]
# For a page whose refused form is shown again on the same page.
form_methods = require_http_methods(["GET", "HEAD", "POST"])


def requires_recent_sign_in(view: View) -> View:
    """Require a recent sign-in or password for a POST, else redirect to its prompt."""
    return cast("View", reauthentication_required(view, allow_get=True))


def person(request: HttpRequest) -> User:
    """The signed-in user; raises PermissionDenied without one."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def environment_or_404(request: HttpRequest, owner: str, name: str) -> Environment:
    """The environment with its owner, tags and latest version."""
    rows = Environment.objects.for_page()
    with _not_found_as_404():
        return lookup.environment(owner, name, check=_sees(request, "environment.see"), rows=rows)


def follows_moves(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page under owner and name; a former name redirects readers of the new one."""

    def following(
        request: HttpRequest, owner: str, name: str, **other_arguments: str
    ) -> HttpResponse:
        try:
            return view(request, owner, name, **other_arguments)
        except Http404:
            now, match = lookup.moved(owner, name, request.user), request.resolver_match
            if now is None or match is None:
                raise
        arguments = {"owner": now.owner.name, "name": now.name, **other_arguments}
        response = redirect(match.view_name, permanent=True, **arguments)
        response["Cache-Control"] = "no-cache"  # the environment may return to this name
        return response

    functools.update_wrapper(following, view)
    return following


def version_or_404(request: HttpRequest, owner: str, name: str, number: str) -> Version:
    """The version, however name and number are spelled, with its environment and owner."""
    with _not_found_as_404():
        return lookup.version(owner, name, number, check=_sees(request, "version.see"))


def run_or_404(request: HttpRequest, pk: UUID) -> Run:
    """The run with its version, environment, owner and runner."""
    with _not_found_as_404():
        return lookup.run(pk, check=_sees(request, "run.see"))


def evaluation_or_404(request: HttpRequest, owner: str, name: str, pk: UUID) -> Evaluation:
    """The pushed evaluation of that environment."""
    with _not_found_as_404():
        row = lookup.evaluation(pk, check=_sees(request, "evaluation.see"))
    if (row.environment.owner.name, row.environment.name) != (owner.lower(), normalise(name)):
        raise Http404
    return row


def owner_or_404(name: str) -> Owner:
    """The person or organisation of that name."""
    with _not_found_as_404():
        return lookup.owner(name)


def organisation_or_404(request: HttpRequest, name: str) -> Organisation:
    """The organisation, for its members."""
    with _not_found_as_404():
        return lookup.organisation(name, check=_sees(request, "organisation.see"))


def _sees(request: HttpRequest, verb: str) -> Check:
    return partial(require, request.user, verb)


@contextmanager
def _not_found_as_404() -> Iterator[None]:
    try:
        yield
    except NotFound as problem:
        raise Http404 from problem


def refused(request: HttpRequest, problem: HubError) -> None:
    """Show a refusal on the next page."""
    messages.error(request, sentences(problem))


def sentences(problem: HubError) -> str:
    """Message and hint as sentences."""
    message = problem.message[:1].upper() + problem.message[1:]
    return f"{message.rstrip('.')}. {problem.hint}".strip()


def demand(request: HttpRequest, verb: str, obj: Object) -> User:
    """The signed-in person, if they may do that; else the page 404, or 403 with the reason."""
    try:
        require(request.user, verb, obj)
    except NotFound:
        raise Http404 from None
    except HubError as problem:
        raise PermissionDenied(sentences(problem)) from None
    return person(request)


def unless_refused(form: forms.Form, act: Callable[[], object]) -> bool:
    """Whether it worked; a refusal is added to the field of the form that it names."""
    try:
        act()
    except HubError as problem:
        field = str(problem.details.get("field", ""))
        form.add_error(field if field in form.fields else None, sentences(problem))
        return False
    return True
