"""`prime env inspect` and `pull`: a version's files one by one, and its source archive."""

from __future__ import annotations

from typing import cast

from django.http import FileResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from registry import rate_limits, storage
from registry.api.prime import find, shapes
from registry.api.prime.endpoint import answer, endpoint
from registry.api.prime.query import query_number
from registry.errors import NotFound
from registry.sources.browse import File, Tree, browse

SHOWN, MOST_SHOWN = 100_000, 500_000  # bytes of one file


@endpoint("GET")
def inspect(request: Request, owner: str, name: str, number: str) -> Response:
    """A folder's list or a file's beginning, of the source archive or else of the wheel."""
    rate_limits.check(request._request, "inspect")  # noqa: SLF001 - the client's address is there
    version = find.version(request, owner, name, number, "version.install")
    max_bytes = query_number(request, "max_bytes", SHOWN, low=1, high=MOST_SHOWN)
    path = request.query_params.get("path", "")
    source = shapes.source_of(version)
    entry = browse(version=version, source=source, path=path, limit=max_bytes)
    shown = _file(entry) if isinstance(entry, File) else _tree(entry)
    return answer(shown | {"version_id": version.version, "of": "source" if source else "wheel"})


def _tree(tree: Tree) -> shapes.Shape:
    return {
        "kind": "directory",
        "path": tree.path,
        "entries": [
            {
                "name": entry.path.rpartition("/")[2],
                "path": entry.path,
                "is_directory": entry.size is None,
                "size": entry.size,
            }
            for entry in tree.entries
        ],
        "truncated": tree.cut,
    }


def _file(file: File) -> shapes.Shape:
    return {
        "kind": "file",
        "path": file.path,
        "content": file.data.decode(errors="replace"),
        "total_bytes": file.size,
        "truncated": len(file.data) < file.size,
    }


@endpoint("GET")
def source(request: Request, owner: str, name: str, number: str) -> Response:
    """The source archive as its publisher sent it."""
    version = find.version(request, owner, name, number, "version.install")
    archive = shapes.source_of(version)
    if archive is None:
        raise NotFound(f"{version} was published without a source archive; it has a wheel alone")
    key = storage.key("sources", archive.sha256)
    address = storage.get().url(key, archive.filename)
    response: HttpResponseBase
    if address is not None:
        response = HttpResponseRedirect(address)
        response["Cache-Control"] = "no-store"  # the address expires within minutes
    else:
        response = FileResponse(
            storage.get().open(key),
            as_attachment=True,
            filename=archive.filename,
            content_type="application/gzip",
        )
        response["Content-Length"] = str(archive.size)
        response["Cache-Control"] = "private, no-cache"
    return cast("Response", response)
