"""POST /api/v1/leaks/: who finds a token of ours, anywhere, has it revoked.

Whoever can show a token could use it, so showing it is permission enough to end it, and nobody has
to sign in. The answer says of each text only whether it was a token of this hub.
Source: GitHub's secret scanning partner programme, for the list and its answer.
"""

from __future__ import annotations

from typing import Any

from rest_framework.decorators import api_view, authentication_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import body, throttles
from registry.errors import HubError
from registry.publishers import leaked

MOST = 100


@api_view(["POST"])
@authentication_classes([])
def leaks(request: Request) -> Response:
    """A list of {token, type, url, source}, or one {token, where}."""
    throttles.check(request, "leak")
    listed: Any = request.data
    if not isinstance(listed, list):
        data = body.read(request)
        where = body.text(data, "where", default="an unknown place")
        return Response({"revoked": leaked.revoke(body.text(data, "token"), where=where)})
    if not 1 <= len(listed) <= MOST or not all(isinstance(found, dict) for found in listed):
        raise HubError("request.invalid", f"the list must hold 1 to {MOST} objects")
    return Response([_answer(found) for found in listed])


def _answer(found: dict[str, Any]) -> dict[str, str]:
    text = body.text(found, "token")
    place = body.text(found, "url", default="") or body.text(found, "source", default="")
    ours = leaked.revoke(text, where=place or "an unknown place")
    return {
        "token_raw": text,
        "token_type": body.text(found, "type", default=""),
        "label": "true_positive" if ours else "false_positive",
    }
