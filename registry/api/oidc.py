"""/_/oidc/: where a workflow changes its identity token for one of ours, as on PyPI.

Source: what uv, twine and the PyPA's publishing action send and show; they build these addresses
from the host of the upload address, so no owner stands in them.
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

MOST = 32 << 10  # bytes; identity tokens have about 2,000


@require_safe
def audience(request: HttpRequest) -> JsonResponse:
    """Whom the identity token must be made for: this hub and no other."""
    return JsonResponse({"audience": settings.HUB_URL})


@csrf_exempt  # it takes an identity token, never the browser's session
@require_POST
def mint(request: HttpRequest) -> JsonResponse:
    """200 with the token, or a refusal in PyPI's shape that is in ours too."""
    try:
        rate_limits.check(request, "mint")
        minted = exchange.mint(identity_token=_token(request))
    except HubError as error:
        ours = error.to_dict(request_id(request))
        said = f"{error.message.rstrip('.')}. {error.hint}".strip()
        theirs = {"code": error.code, "description": said}
        body = {"message": "Token request failed", "errors": [theirs]} | ours
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
    """The one field. uv sends it without a content type, so none is asked for."""
    raw = request.read(MOST + 1)
    try:
        text = json.loads(raw)["token"] if len(raw) <= MOST else None
    except (ValueError, TypeError, LookupError, RecursionError):
        text = None
    if not isinstance(text, str) or not text.isascii():
        raise HubError(
            "request.invalid",
            f'the body must be JSON like {{"token": "<identity token>"}}, of at most {MOST} bytes',
            status=422,
        )
    return text
