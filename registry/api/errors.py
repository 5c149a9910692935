"""Every refusal of the API in one shape: of the hub, of DRF, of Django, of a bug."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Concatenate, ParamSpec

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import set_rollback

from registry.api.auth import CHALLENGE
from registry.errors import Forbidden, HubError, NotFound
from registry.space import RETRY_SECONDS, is_full

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
    return Response(error.to_dict(request_id(request)), error.status, headers=headers(error))


def answers_errors(view: View[P]) -> View[P]:
    """The same shape for a plain view."""

    def answering(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            with full_disk_refused():
                return view(request, *args, **kwargs)
        except HubError as error:
            return answer(request, error)

    functools.update_wrapper(answering, view)
    return answering


def answer(request: HttpRequest, error: HubError) -> HttpResponseBase:
    """The refusal in the API's shape. Shared caches must not keep it."""
    sent = {**headers(error), "Cache-Control": "no-store"}
    return JsonResponse(error.to_dict(request_id(request)), status=error.status, headers=sent)


def full(exc: BaseException) -> HubError | None:
    """The 507 for an error that means a full disk, which is logged in one line; else None."""
    if not is_full(exc):
        return None
    log.error("no disk space left: %s: %s", type(exc).__name__, exc)
    return HubError("hub.full", status=507, details={"retry_after": RETRY_SECONDS})


@contextmanager
def full_disk_refused() -> Iterator[None]:
    """Raise the 507 in the place of an error that means a full disk."""
    try:
        yield
    except HubError:
        raise
    except Exception as error:
        if (refusal := full(error)) is None:
            raise
        raise refusal from error


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
        case exceptions.PermissionDenied() if str(exc.detail).startswith("CSRF Failed"):
            return Forbidden(str(exc.detail), "Send the CSRF token as header X-CSRFToken.")
        case exceptions.ValidationError():
            return _of_validation(exc)
        case exceptions.APIException():
            code = CODES.get(type(exc), "request.invalid")
            return HubError(code, str(exc.detail), status=exc.status_code)
    return full(exc)


def _of_validation(exc: exceptions.ValidationError) -> HubError:
    """The refusal for the first field that a serializer found invalid."""
    names: list[str] = []
    detail: Any = exc.detail
    while isinstance(detail, dict | list):
        if isinstance(detail, dict):
            name, detail = next(iter(detail.items()))
            names.append(str(name))
        else:
            detail = next(item for item in detail if item)
    field = ".".join(name for name in names if name != api_settings.NON_FIELD_ERRORS_KEY)
    details = {"field": field} if field else {}
    return HubError("request.invalid", f"{field} {detail}".strip(), details=details)


def headers(error: HubError) -> dict[str, str]:
    """What a refusal carries besides its body."""
    if error.status == 301:
        # It may come back, and a browser would keep a 301 for ever.
        return {"Location": error.details["location"], "Cache-Control": "no-cache"}
    if error.status == 401:
        return {"WWW-Authenticate": CHALLENGE}
    if "retry_after" in error.details:
        return {"Retry-After": str(error.details["retry_after"])}
    return {}
