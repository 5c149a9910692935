"""Sign up, sign in, sign out."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import login, logout
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from registry.accounts import services
from registry.api import throttles
from registry.errors import HubError

BACKEND = "django.contrib.auth.backends.ModelBackend"


class SignUp(forms.Form):
    """Name, address and password of a new person."""

    username = forms.CharField(
        max_length=39,
        help_text="The name your environments live under: lower-case letters, digits, hyphens.",
        widget=forms.TextInput({"autocomplete": "username", "autofocus": True}),
    )
    email = forms.EmailField(widget=forms.EmailInput({"autocomplete": "email"}))
    password = forms.CharField(
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text="At least 8 characters.",
    )


def signup(request: HttpRequest) -> HttpResponse:
    """Register and sign in."""
    problem = slowed(request, "signup")
    form = SignUp(sent(request, problem))
    if form.is_valid():
        try:
            user = services.register(**form.cleaned_data)
        except HubError as refusal:
            field = str(refusal.details.get("field", ""))
            field = {"name": "username"}.get(field, field)
            form.add_error(field if field in form.fields else None, refusal.message)
        else:
            login(request, user, backend=BACKEND)
            return redirect(destination(request))
    return page(
        request,
        form,
        problem,
        title="Sign up",
        button="Sign up",
        aside={"text": "You have an account?", "label": "Sign in", "url": reverse("login")},
    )


def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in with name and password."""
    problem = slowed(request, "login")
    form = AuthenticationForm(request, sent(request, problem))
    if form.is_valid():
        login(request, form.get_user())
        return redirect(destination(request))
    return page(
        request,
        form,
        problem,
        title="Sign in",
        button="Sign in",
        aside={"text": "New here?", "label": "Sign up", "url": reverse("signup")},
    )


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    return redirect("home")


def destination(request: HttpRequest) -> str:
    """Where `next` points when that is on this hub, else the front page."""
    wanted = request.GET.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else reverse("home")


def slowed(request: HttpRequest, door: str) -> HubError | None:
    """The refusal, where this address has sent the form too often."""
    try:
        if request.method == "POST":
            throttles.check(request, door)
    except HubError as refusal:
        return refusal
    return None


def sent(request: HttpRequest, problem: HubError | None) -> QueryDict | None:
    """What was sent to be looked at: a password is not even tried once there is a problem."""
    return request.POST if request.method == "POST" and problem is None else None


def page(
    request: HttpRequest, form: forms.BaseForm, problem: HubError | None, **context: Any
) -> HttpResponse:
    """The plain form page, 400 where the form was refused, 429 where it came too often."""
    status = problem.status if problem else 400 if form.is_bound and form.errors else 200
    context |= {"form": form, "problem": problem}
    return render(request, "pages/form.html", context, status=status)
