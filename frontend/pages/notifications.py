"""Notifications of the signed-in person, what they watch, and what they want by email."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from frontend.access import demand, environment_or_404, form_methods, person, unless_refused
from frontend.access import refused as show_refusal
from frontend.paging import page
from registry.errors import HubError
from registry.notifications import services, watches
from registry.notifications.kinds import KINDS
from registry.notifications.models import Notification
from registry.read_models import notifications as read_models


class MailForm(forms.Form):
    """The kinds that a person wants by email."""

    kinds = forms.MultipleChoiceField(
        label="Send me an email when",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=[(kind.name, kind.label) for kind in KINDS.values() if kind.offers_mail],
    )


@never_cache
@require_safe
@login_required
def notifications(request: HttpRequest) -> HttpResponse:
    """The notifications that the person may still see, the newest first; `?unread=1` those that
    are unread."""
    user = person(request)
    unread = request.GET.get("unread") == "1"
    rows = read_models.rows(user, unread=unread)
    shown, following = page(request, rows, by=("-pk",))
    context = {
        "notifications": read_models.summaries(shown),
        "next": following,
        "unread": unread,
        "count": services.unread_count(user),
    }
    return render(request, "pages/notifications.html", context)


@require_POST
@login_required
def read(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Mark one notification as read, or all."""
    user = person(request)
    if pk is not None and not Notification.objects.filter(user=user, pk=pk).exists():
        raise Http404
    services.mark_read(user=user, pk=pk)
    back = request.POST.get("next", "")
    own = url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return redirect(back if own and back.startswith("/") else reverse("notifications"))


@never_cache
@form_methods
@login_required
def settings(request: HttpRequest) -> HttpResponse:
    """What the person watches, and the kinds that they want by email."""
    user = person(request)
    initial = {"kinds": services.mail_kinds(user)}
    form = MailForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid() and unless_refused(
        form, lambda: services.choose_mail(user=user, kinds=form.cleaned_data["kinds"])
    ):
        messages.success(request, "Your choice of emails was saved.")
        return redirect("notification-settings")
    shown, following = page(request, read_models.watched(user), by=("-pk",))
    context = {
        "form": form,
        "confirmed": services.may_mail(user),
        "watches": shown,
        "next": following,
    }
    return render(request, "pages/notification_settings.html", context)


@require_POST
@login_required
def watch(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Begin or end to watch an environment."""
    env = environment_or_404(request, owner, name)
    user = demand(request, "environment.watch", env)
    act = watches.watch if request.POST.get("watch") == "on" else watches.unwatch
    try:
        act(environment=env, by=user)
    except HubError as problem:
        show_refusal(request, problem)
    if request.POST.get("from") == "settings":
        return redirect("notification-settings")
    return redirect("environment", env.owner.name, env.name)
