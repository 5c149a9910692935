"""The page that `hub login` opens to confirm the login of a command line."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from frontend import rates
from frontend.access import form_methods, person, requires_recent_sign_in, sentences
from registry.accounts import devices, tokens
from registry.errors import HubError

DONE = {
    "approve": {"tone": "good", "text": "Confirmed. Return to your terminal."},
    "deny": {"tone": "warn", "text": "Refused. No token was issued."},
}


@form_methods
@never_cache
@login_required
@requires_recent_sign_in
def device(request: HttpRequest) -> HttpResponse:
    """Show the form for the code, then the login, and store the decision."""
    context: dict[str, Any] = {"days": tokens.DAYS}
    code = (request.POST or request.GET).get("code", "")
    try:
        if code:
            # Per person: others at the same address cannot use up the attempts.
            rates.check(request, "code", person=str(person(request).pk))
        if request.method == "POST":
            answer = request.POST.get("answer", "")
            decide = {"approve": devices.approve, "deny": devices.deny}.get(answer)
            if decide:
                decide(user_code=code, user=person(request))
                context["done"] = DONE[answer]
        elif code:
            context["login"] = devices.find(user_code=code)
    except HubError as problem:
        context["problem"] = sentences(problem)
    return render(request, "pages/device.html", context)
