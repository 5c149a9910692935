"""`prime env inspect` and `pull`: a version's files one by one, and its source archive."""

from __future__ import annotations

from django.http import FileResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from rest_framework.decorators import permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry import storage
from registry.api.permissions import requires
from registry.api.prime import lookup
from registry.api.prime.endpoint import answer, endpoint
from registry.api.prime.inputs import InspectQuery
from registry.api.prime.outputs import FileSerializer, TreeSerializer, source_of
from registry.api.serializers.base import validated_query
from registry.api.throttles import rate_scope
from registry.errors import NotFound
from registry.sources.browse import File, browse


@endpoint("GET")
@permission_classes([requires(GET="version.install")])
@throttle_classes([rate_scope("inspect")])
def inspect(request: Request, owner: str, name: str, number: str) -> Response:
    """A folder's list or a file's beginning, of the source archive or else of the wheel."""
    version = lookup.version(request, owner, name, number)
    query = validated_query(InspectQuery, request)
    source = source_of(version)
    entry = browse(version=version, source=source, path=query["path"], limit=query["max_bytes"])
    serializer = FileSerializer if isinstance(entry, File) else TreeSerializer
    fields = {"version_id": version.version, "of": "source" if source else "wheel"}
    return answer(serializer(entry).data | fields)


@endpoint("GET")
@permission_classes([requires(GET="version.install")])
def source(request: Request, owner: str, name: str, number: str) -> HttpResponseBase:
    """The source archive as its publisher sent it."""
    version = lookup.version(request, owner, name, number)
    archive = source_of(version)
    if archive is None:
        raise NotFound(f"{version} was published without a source archive; it has a wheel alone")
    key = storage.key("sources", archive.sha256)
    address = storage.get().url(key, archive.filename)
    if address is not None:
        # The address expires within minutes.
        return HttpResponseRedirect(address, headers={"Cache-Control": "no-store"})
    response = FileResponse(
        storage.get().open(key),
        as_attachment=True,
        filename=archive.filename,
        content_type="application/gzip",
    )
    response["Content-Length"] = str(archive.size)
    response["Cache-Control"] = "private, no-cache"
    return response
