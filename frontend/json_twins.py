"""Pages and the API's resource of the same thing: `Accept: application/json` leads from one to the
other with 303.

The resource decides who may see it, so a redirect says nothing about what exists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import patch_vary_headers

HTML, JSON = "text/html", "application/json"
Handler = Callable[[HttpRequest], HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Twin:
    """The route of a resource, which takes the page's arguments but the `dropped` ones.

    `query`: both have the same parameters. `as_parameter`: the parameter that the page's argument
    `name` is there."""

    route: str
    query: bool = False
    as_parameter: str = ""
    dropped: tuple[str, ...] = ()


# Page -> resource, by the names of their routes.
TWINS = {
    "home": Twin("api-environments"),
    "browse": Twin("api-environments", query=True),
    "owner": Twin("api-environments", as_parameter="owner", dropped=("name",)),
    "leaderboards": Twin("api-leaderboards", query=True),
    "environment": Twin("api-environment"),
    "version": Twin("api-version"),
    "version-leaderboard": Twin("api-leaderboard", query=True),
    "run": Twin("api-run"),
    "run-queue": Twin("api-run"),
    "run-comparison": Twin("api-comparison"),
    "rollout": Twin("api-rollout"),
    "compare": Twin("api-compare", query=True),
    "evaluation-samples": Twin("api-evaluation-samples", dropped=("owner", "name")),
    "evaluation": Twin("api-evaluation", dropped=("owner", "name")),
    "status": Twin("api-status"),
    "docs-findings": Twin("api-codes"),
    "docs-finding": Twin("api-code"),
    "docs-measures": Twin("api-measures"),
    "docs-measure": Twin("api-measure"),
}


def middleware(get_response: Handler) -> Handler:
    """Redirect to the resource where a client prefers JSON, and mark pages as depending on that."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        match = request.resolver_match
        if match is not None and match.url_name in TWINS:
            patch_vary_headers(response, ("Accept",))
        return response

    def process_view(
        request: HttpRequest, view: object, args: list[object], kwargs: dict[str, object]
    ) -> HttpResponse | None:
        match = request.resolver_match
        name = match.url_name if match is not None else None
        if name not in TWINS or request.method not in ("GET", "HEAD"):
            return None
        if request.get_preferred_type([HTML, JSON]) != JSON:
            return None
        return HttpResponse(
            status=303, headers={"Location": address(name, kwargs, request.GET.urlencode())}
        )

    handle.process_view = process_view  # type: ignore[attr-defined]
    return handle


def address(name: str, arguments: dict[str, object], query: str = "") -> str:
    """The address of the page's resource."""
    twin = TWINS[name]
    own = {key: value for key, value in arguments.items() if key not in twin.dropped}
    parameters = query if twin.query else ""
    if twin.as_parameter:
        parameters = urlencode({twin.as_parameter: arguments["name"]})
    return reverse(twin.route, kwargs=own) + (f"?{parameters}" if parameters else "")
