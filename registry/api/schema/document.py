"""GET /api/v1/schema: the OpenAPI document, in JSON or YAML, computed once a process."""

from __future__ import annotations

import functools
import hashlib

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer

from registry.api.errors import answers_errors
from registry.api.schema.media_types import TYPES
from registry.errors import HubError

MAX_AGE = 600  # seconds


@require_safe
@answers_errors
def schema(request: HttpRequest) -> HttpResponseBase:
    """The document in the form of `format`, else of Accept."""
    wanted = request.GET.get("format", "")
    kind = next((k for k, form in TYPES.items() if form == wanted), None)
    if not wanted:
        kind = request.get_preferred_type(list(TYPES))
    if kind is None:
        raise HubError(
            "request.invalid",
            "the document comes as JSON or YAML",
            "Ask with ?format=json or ?format=yaml, or accept application/json.",
            status=400 if wanted else 406,
            details={"field": "format" if wanted else "Accept"},
        )
    data, etag = written(TYPES[kind])
    headers = {"ETag": etag, "Cache-Control": f"public, max-age={MAX_AGE}", "Vary": "Accept"}
    response = HttpResponse(data, content_type=kind, headers=headers)
    return get_conditional_response(request, etag=etag, response=response) or response


@functools.cache
def written(form: str) -> tuple[bytes, str]:
    """The document's bytes in that form, and their tag."""
    from registry.api.schema.generator import Generator  # costs a second that few processes need

    renderer = OpenApiJsonRenderer() if form == "json" else OpenApiYamlRenderer()
    data = renderer.render(Generator().get_schema(public=True), renderer_context={})
    return data, f'"{hashlib.sha256(data).hexdigest()[:32]}"'
