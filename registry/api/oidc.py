"""/_/oidc/: a workflow exchanges its identity token for an upload token, as on PyPI.

Source: what uv, twine and the PyPA's publishing action send and show; they build these addresses
from the host of the upload address, so they name no owner.
"""

from __future__ import annotations

import json
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from registry import rate_limits
from registry.api.errors import request_id
from registry.errors import HubError
from registry.publishers import exchange

MAX_BYTES = 32 << 10  # bytes; identity tokens have about 2,000


@require_safe
def audience(request: HttpRequest) -> JsonResponse:
    """The audience that an identity token must have: this hub and no other."""
    return JsonResponse({"audience": settings.HUB_URL})


@csrf_exempt  # it takes an identity token, never the browser's session
@require_POST
def mint(request: HttpRequest) -> JsonResponse:
    """200 with the token, or a refusal in PyPI's shape that is in ours too."""
    try:
        rate_limits.check(request, "mint")
        minted = exchange.mint(identity_token=_token(request))
    except HubError as error:
        hub_error = error.to_dict(request_id(request))
        message = f"{error.message.rstrip('.')}. {error.hint}".strip()
        pypi_error = {"code": error.code, "description": message}
        body = {"message": "Token request failed", "errors": [pypi_error]} | hub_error
        response = JsonResponse(body, status=error.status)
        if "retry_after" in error.details:
            response["Retry-After"] = str(error.details["retry_after"])
        return response
    return JsonResponse(
        {
            "success": True,
            "token": minted.text,
            "expires": int(datetime.timestamp(minted.expires_at)),
        },
        headers={"Cache-Control": "no-store"},
    )


def _token(request: HttpRequest) -> str:
    """The one field. uv sends it without a content type, so none is required."""
    raw = request.read(MAX_BYTES + 1)
    try:
        text = json.loads(raw)["token"] if len(raw) <= MAX_BYTES else None
    except (ValueError, TypeError, LookupError, RecursionError):
        text = None
    if not isinstance(text, str) or not text.isascii():
        raise HubError(
            "request.invalid",
            'the body must be JSON like {"token": "<identity token>"}, '
            f"of at most {MAX_BYTES} bytes",
            status=422,
        )
    return text
