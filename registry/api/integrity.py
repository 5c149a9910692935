"""/integrity/: the provenance of a file (PEP 740), at the address that PyPI's Integrity API has."""

from __future__ import annotations

import hashlib
import json

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views.decorators.http import require_safe

from registry.accounts.permissions import can
from registry.api import auth
from registry.api.errors import answers_errors
from registry.attestations.models import Provenance
from registry.catalog.models import Version
from registry.errors import HubError, NotFound

V1 = "application/vnd.pypi.integrity.v1+json"
JSON = "application/json"
MAX_AGE = 600  # seconds


@require_safe
@answers_errors
def provenance(
    request: HttpRequest, owner: str, name: str, number: str, filename: str
) -> HttpResponseBase:
    """The provenance object; 404 where the file has none or the actor may not install it."""
    row = (
        Provenance.objects.select_related("version__environment__owner")
        .filter(version__environment__owner__name=owner, version__environment__name=name)
        .filter(version__version=number, version__filename=filename, version__deleted_at=None)
        .first()
    )
    actor, token = auth.identify(request)
    if row is None or not can(actor, "version.install", row.version, token):
        raise NotFound(f"{filename[:120]!r} has no provenance, or you may not see it")
    data = json.dumps(row.document, separators=(",", ":")).encode()
    return respond(request, row.version, data, [V1, JSON])


def respond(
    request: HttpRequest, version: Version, data: bytes, kinds: list[str]
) -> HttpResponseBase:
    """The data about a version that the actor may install, as the preferred one of the types."""
    kind = request.get_preferred_type(kinds)
    if kind is None:
        raise HubError("request.invalid", f"it comes as {' or '.join(kinds)}", status=406)
    response = HttpResponse(data, content_type=kind)
    public = can(AnonymousUser(), "version.install", version)
    response["ETag"] = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    response["Cache-Control"] = f"{'public' if public else 'private'}, max-age={MAX_AGE}"
    patch_vary_headers(response, ("Accept", "Authorization", "Cookie"))
    return get_conditional_response(request, etag=response["ETag"], response=response) or response
