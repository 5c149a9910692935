"""What all endpoints for the `prime` command have in common.

Source: prime 0.18.0. It prints `detail` of a refusal, through a printer to which square brackets
are commands; below 401 and 404 it does not look at the status.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http.response import HttpResponseBase
from rest_framework.decorators import api_view, parser_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import errors
from registry.api.parsers import Json
from registry.api.prime import body
from registry.errors import HubError

MOST_FINDINGS = 5
BRACKETS = str.maketrans("[]", "()")


def endpoint(
    *methods: str, parser: type[Json] = Json
) -> Callable[[Callable[..., Response]], Callable[..., HttpResponseBase]]:
    """A view of the API whose refusals carry `detail` too."""

    def decorate(view: Callable[..., Response]) -> Callable[..., HttpResponseBase]:
        wrapped = api_view(list(methods))(parser_classes([parser])(view))
        wrapped.cls.get_exception_handler = lambda _: handle  # type: ignore[method-assign,assignment]
        return wrapped

    return decorate


def handle(exc: Exception, context: dict[str, Any]) -> Response:
    """The API's own refusal with a `detail` beside its `error`."""
    response = errors.handle(exc, context)
    response.data = {"detail": detail(response.data["error"])} | response.data
    return response


def detail(error: dict[str, Any]) -> str:
    """A refusal in one line: all that was found, the next step and the code."""
    findings = error["details"].get("findings", [])
    lines = [
        f"{finding['message']} ({finding['where']})" if finding["where"] else finding["message"]
        for finding in findings[:MOST_FINDINGS]
    ]
    text = "; ".join(lines) or error["message"]
    hidden = len(findings) - MOST_FINDINGS
    parts = [
        text.rstrip(".") + "." if hidden <= 0 else f"{text}; and {hidden} more.",
        error["hint"],
    ]
    return f"{' '.join(part for part in parts if part)} ({error['code']})".translate(BRACKETS)


def answer(value: Any, status: int = 200) -> Response:
    """`{"data": ...}`, in which most answers are wrapped."""
    return Response({"data": value}, status)


def flag(request: Request, name: str) -> bool:
    """A yes or no of the query string; raises 400 naming it where it is neither."""
    value = request.query_params.get(name, "").lower()
    if value not in ("", "true", "false", "1", "0"):
        raise HubError(
            "request.invalid",
            f"{name} {value[:40]!r} must be true or false",
            details={"field": name},
        )
    return value in ("true", "1")


def short(data: dict[str, Any], field: str, maximum: int, *, default: str | None = "") -> str:
    """A text of at most `maximum` characters; without a default it is required."""
    value = body.text(data, field, default=default)
    if len(value) > maximum:
        raise HubError(
            "request.invalid",
            f"{field} has {len(value)} characters; the maximum is {maximum}",
            details={"field": field},
        )
    return value
