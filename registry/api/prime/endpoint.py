"""What all endpoints for the `prime` command have in common.

Source: prime 0.18.0. It prints `detail` of a refusal, through a printer to which square brackets
are commands; below 401 and 404 it does not look at the status.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http.response import HttpResponseBase
from rest_framework.decorators import api_view
from rest_framework.response import Response

from registry.api import errors

MAX_FINDINGS = 5
BRACKETS = str.maketrans("[]", "()")


def endpoint(
    *methods: str,
) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """DRF's `api_view` whose refusals carry `detail` too."""

    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        wrapped = api_view(list(methods))(view)
        wrapped.cls.get_exception_handler = lambda _: handle  # type: ignore[method-assign,assignment]
        return wrapped

    return decorate


def handle(exc: Exception, context: dict[str, Any]) -> Response:
    """The API's own refusal with a `detail` beside its `error`."""
    response = errors.handle(exc, context)
    response.data = {"detail": _detail(response.data["error"])} | response.data
    return response


def _detail(error: dict[str, Any]) -> str:
    """A refusal in one line: findings or message, the next step and the code."""
    findings = error["details"].get("findings", [])
    lines = [
        f"{finding['message']} ({finding['where']})" if finding["where"] else finding["message"]
        for finding in findings[:MAX_FINDINGS]
    ]
    text = "; ".join(lines) or error["message"]
    hidden = len(findings) - MAX_FINDINGS
    parts = [
        text.rstrip(".") + "." if hidden <= 0 else f"{text}; and {hidden} more.",
        error["hint"],
    ]
    return f"{' '.join(part for part in parts if part)} ({error['code']})".translate(BRACKETS)


def answer(value: Any, **more: Any) -> Response:
    """`{"data": ...}`, in which most answers are wrapped."""
    return Response({"data": value, **more})
