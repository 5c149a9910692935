"""Where the person is signed in: browsers with their last use, and the end of their sessions."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from frontend import sessions as noted
from frontend.access import person
from registry.accounts import sessions
from registry.errors import NotFound


@require_safe
@never_cache
@login_required
def sessions_page(request: HttpRequest) -> HttpResponse:
    """This browser first, then the others by their last use."""
    user = person(request)
    noted.note(request, user.pk)
    rows = sessions.of(user)
    key = request.session.session_key
    context = {
        "here": next((row for row in rows if row.session_id == key), None),
        "others": [row for row in rows if row.session_id != key],
    }
    return render(request, "pages/sessions.html", context)


@require_POST
@login_required
def end(request: HttpRequest, pk: int) -> HttpResponse:
    """Sign one browser out; its own ends on the sign-out page."""
    try:
        row = sessions.end(user=person(request), pk=pk)
    except NotFound as problem:
        raise Http404 from problem
    messages.success(request, f"{row.family} is signed out.")
    return redirect("sessions")


@require_POST
@login_required
def end_others(request: HttpRequest) -> HttpResponse:
    """Sign all other browsers out."""
    count = sessions.end_others(user=person(request), session_key=str(request.session.session_key))
    are = "1 other browser is" if count == 1 else f"{count or 'No'} other browsers are"
    messages.success(request, f"{are} signed out." if count else "No other browser was signed in.")
    return redirect("sessions")
