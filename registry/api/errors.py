"""Every refusal of the API in one shape, whoever raised it."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from registry.api.auth import CHALLENGE
from registry.errors import HubError, NotFound

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
log = logging.getLogger(__name__)

CODES: dict[type[exceptions.APIException], str] = {
    exceptions.NotAuthenticated: "request.unauthenticated",
    exceptions.AuthenticationFailed: "token.invalid",
    exceptions.PermissionDenied: "request.forbidden",
    exceptions.NotFound: "request.not_found",
    exceptions.MethodNotAllowed: "request.method",
}


def handle(exc: Exception, context: dict[str, Any]) -> Response:
    """REST framework's EXCEPTION_HANDLER: a HubError, its own errors, or a bug (500, logged)."""
    set_rollback()
    error = _translate(exc)
    request = context["request"]
    if error is None:
        log.error("unhandled error in %s", request.path, exc_info=exc)
        error = HubError("hub.error", status=500)
    return Response(error.to_dict(request_id(request)), error.status, headers=_headers(error))


def answers_errors(view: View[P]) -> View[P]:
    """The same shape for a plain view. Shared caches must not keep a refusal."""

    def answering(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except HubError as error:
            headers = {**_headers(error), "Cache-Control": "no-store"}
            body = error.to_dict(request_id(request))
            return JsonResponse(body, status=error.status, headers=headers)

    functools.update_wrapper(answering, view)
    return answering


def request_id(request: Any) -> str:
    """The id that the response carries in X-Request-ID, to be quoted to the operator."""
    return str(request.META.get("REQUEST_ID", ""))


def _translate(exc: Exception) -> HubError | None:
    match exc:
        case HubError():
            return exc
        case Http404():
            return NotFound()
        case PermissionDenied():
            return HubError("request.forbidden", str(exc), status=403)
        case exceptions.APIException():
            code = CODES.get(type(exc), "request.invalid")
            return HubError(code, str(exc.detail), status=exc.status_code)
    return None


def _headers(error: HubError) -> dict[str, str]:
    if error.status == 301:
        # It may come back, and a browser would keep a 301 for ever.
        return {"Location": error.details["location"], "Cache-Control": "no-cache"}
    if error.status == 401:
        return {"WWW-Authenticate": CHALLENGE}
    if "retry_after" in error.details:
        return {"Retry-After": str(error.details["retry_after"])}
    return {}
