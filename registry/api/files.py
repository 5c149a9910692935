"""Wheels, their METADATA and archives of git dependencies by sha256: immutable bytes with ETag,
HEAD and ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views.decorators.http import require_safe

from registry import prepared, storage
from registry.accounts.permissions import can
from registry.api import auth, ranges
from registry.api.errors import answers_errors
from registry.catalog.models import Environment, Version
from registry.errors import NotFound
from registry.git_sources.models import GitSource
from registry.runs.queries import leased_run
from registry.runs.tokens import RUN_TOKEN_PREFIX
from registry.space import unless_full
from registry.storage.base import Kind

ADDRESS = re.compile(r"/files/([0-9a-f]{2})/(\1[0-9a-f]{62})/([^/]+?)(\.metadata)?")
TABLE = Environment._meta.db_table  # noqa: SLF001 - Django documents it
_SHA256, _FILENAME = (
    "the wheel's sha256",
    "the wheel's file name",
)  # placeholders of the prepared query
FOREVER = "max-age=31536000, immutable"
TYPE = "application/octet-stream"
STORED = "/.stored/"  # where deploy/nginx.conf has the storage; no owner's name begins so


@dataclass(frozen=True, slots=True)
class File:
    """The fields of a response with a wheel or an archive; `public` if anybody may download it."""

    environment: int
    sha256: str
    metadata_sha256: str
    filename: str
    size: int
    public: bool
    kind: Kind = "wheels"


def early(request: HttpRequest) -> HttpResponseBase | None:
    """The response with a public file, before the middleware for browsers, which costs more than
    the file does; None for any other request, which the views answer."""
    address = ADDRESS.fullmatch(request.path_info)
    if address is None or request.method not in ("GET", "HEAD"):
        return None
    _, sha256, filename, metadata = address.groups()
    row = prepared.row(_public, {_SHA256: sha256, _FILENAME: filename})
    if row is None:
        return None
    environment, metadata_sha256, size = row
    file = File(environment, sha256, metadata_sha256, filename, size, public=True)
    return _metadata(request, file) if metadata else _wheel(request, file)


@require_safe
@answers_errors
def wheel(request: HttpRequest, shard: str, sha256: str, filename: str) -> HttpResponseBase:
    """The wheel or archive. A whole download of a wheel by a person counts as an install; a
    runner's does not."""
    return _wheel(request, _authorised(request, shard, sha256, filename))


@require_safe
@answers_errors
def metadata(request: HttpRequest, shard: str, sha256: str, filename: str) -> HttpResponseBase:
    """The wheel's METADATA on its own (PEP 658), so that resolving needs no download."""
    file = _authorised(request, shard, sha256, filename)
    if file.kind != "wheels":
        raise NotFound(f"{filename[:120]!r} is no wheel: it has no METADATA")
    return _metadata(request, file)


def _wheel(request: HttpRequest, file: File) -> HttpResponseBase:
    etag = f'"{file.sha256}"'
    if unchanged := get_conditional_response(request, etag=etag):
        return _with_headers(unchanged, file, etag)
    key = storage.key(file.kind, file.sha256)
    address = storage.get().url(key, file.filename) if request.method == "GET" else None
    if address is None:
        response = _with_headers(_bytes(request, key, file, etag), file, etag)
    else:
        response = HttpResponseRedirect(address)
        response["Cache-Control"] = "no-store"  # the address expires within minutes
    complete = request.method == "GET" and "Range" not in request.headers
    if complete and file.kind == "wheels" and not _by_runner(request):
        _count_install(file.environment)
    return response


def _metadata(request: HttpRequest, file: File) -> HttpResponseBase:
    etag = f'"{file.metadata_sha256}"'
    if unchanged := get_conditional_response(request, etag=etag):
        return _with_headers(unchanged, file, etag)
    with storage.get().open(storage.key("metadata", file.metadata_sha256)) as reader:
        data = reader.read()
    response = HttpResponse(data, content_type="text/plain; charset=utf-8")
    response["Content-Length"] = str(len(data))
    return _with_headers(response, file, etag)


def _public() -> QuerySet[Version, tuple[Any, ...]]:
    public_rows = Version.objects.installable().visible_to(AnonymousUser())
    rows = public_rows.filter(sha256=_SHA256, filename=_FILENAME, staged="")
    return rows.values_list("environment", "metadata_sha256", "size")


def _authorised(request: HttpRequest, shard: str, sha256: str, filename: str) -> File:
    """The version whose file this is; 404 where the actor may not install it.

    Two owners may have published the same bytes: any version that the actor may install does.
    What everybody may install is found before anybody is identified, so that the answer varies
    with no cookie and shared caches can keep it.
    """
    files = _files(sha256, filename) if shard == sha256[:2] else []
    versions = [version for version, _ in files]
    allowed = [v for v in versions if can(AnonymousUser(), "version.install", v)]
    if not allowed and _by_runner(request):
        run = leased_run(auth.credentials(request) or "")
        allowed = [version for version in versions if version.pk == run.version_id]
    elif not allowed:
        actor, token = auth.identify(request)
        allowed = [v for v in versions if can(actor, "version.install", v, token)]
    if not allowed:
        raise NotFound(f"there is no file {filename[:120]!r} of that sha256, or you may not see it")
    version, source = next(file for file in files if file[0] == allowed[0])
    public = (
        version.environment.visibility == Environment.Visibility.PUBLIC
        and version.status == Version.Status.LISTED
    )
    if source is not None:
        return File(version.environment_id, sha256, "", filename, source.size, public, "git")
    return File(
        environment=version.environment_id,
        sha256=version.sha256,
        metadata_sha256=version.metadata_sha256,
        filename=version.filename,
        size=version.size,
        public=public,
    )


def _files(sha256: str, filename: str) -> list[tuple[Version, GitSource | None]]:
    """The versions whose wheel it is; else those that depend on that archive, with its row."""
    wheels = Version.objects.filter(sha256=sha256, filename=filename, deleted_at=None, staged="")
    if versions := list(wheels.select_related("environment__owner")):
        return [(version, None) for version in versions]
    rows = GitSource.objects.filter(sha256=sha256, version__deleted_at=None, version__staged="")
    sources = rows.select_related("version__environment__owner")
    return [(source.version, source) for source in sources if source.filename == filename]


def _count_install(environment: int) -> None:
    """One more, but where a change holds the row just now: that may wait for the storage, and
    downloads must not wait for it."""
    free = "%s"
    if connection.features.has_select_for_update_skip_locked:
        free = f"(SELECT id FROM {TABLE} WHERE id = %s FOR NO KEY UPDATE SKIP LOCKED)"  # noqa: S608
    with unless_full("the count of installs"), connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {TABLE} SET installs = installs + 1 WHERE id = {free}",  # noqa: S608
            [environment],
        )


def _by_runner(request: HttpRequest) -> bool:
    return request.headers.get("Authorization", "").startswith(f"Bearer {RUN_TOKEN_PREFIX}")


def _bytes(request: HttpRequest, key: str, file: File, etag: str) -> HttpResponseBase:
    """200, 206 or 416 from our own storage; HEAD has the headers of the GET and no bytes.

    With HUB_ACCEL nginx does all that, with the path of the bytes from a header.
    """
    headers = {"Content-Disposition": f'attachment; filename="{file.filename}"'}
    if settings.HUB_ACCEL:
        headers["X-Accel-Redirect"] = f"{STORED}{key}"
        return HttpResponse(content_type=TYPE, headers=headers)
    range_header = request.headers.get("Range", "")
    if request.headers.get("If-Range", etag) != etag:
        range_header = ""
    try:
        part = ranges.wanted(range_header, file.size)
    except ranges.Unsatisfiable:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{file.size}"})
    start, end = part or (0, file.size)
    body = () if request.method == "HEAD" else storage.get().open(key, start, end)
    response = FileResponse(body, status=206 if part else 200, content_type=TYPE)
    for name, value in {**headers, "Content-Length": str(end - start)}.items():
        response[name] = value  # in place of its own guesses
    if part:
        response["Content-Range"] = f"bytes {start}-{end - 1}/{file.size}"
    return response


def _with_headers(response: HttpResponseBase, file: File, etag: str) -> HttpResponseBase:
    """Set the headers of every response about a file. Shared caches may keep public files only."""
    response["ETag"] = etag
    response["X-Content-Type-Options"] = "nosniff"
    if "X-Accel-Redirect" not in response:  # nginx sets it itself
        response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = f"{'public' if file.public else 'private'}, {FOREVER}"
    if not file.public:
        patch_vary_headers(response, ("Authorization", "Cookie"))
    return response
