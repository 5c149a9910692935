"""The reader's choice of light or dark, in a cookie, so that the server renders it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from frontend.theme import COOKIE, SECONDS, SYSTEM, THEMES


@csrf_exempt  # a token would set a cookie on every page; another site could only change colours
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Store the theme and return to the page; `system` or an unknown one removes the choice."""
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, allowed_hosts=None):
        target = "/"
    response = redirect(target)
    chosen = request.POST.get("theme", SYSTEM)
    if chosen in THEMES and chosen != SYSTEM:
        response.set_cookie(
            COOKIE, chosen, SECONDS, secure=request.is_secure(), httponly=True, samesite="Lax"
        )
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response
