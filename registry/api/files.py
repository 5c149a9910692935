"""Wheels and their METADATA by sha256: immutable bytes with ETag, HEAD and ranges."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import F
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views.decorators.http import require_safe

from registry import storage
from registry.accounts.permissions import can
from registry.api import auth, ranges
from registry.api.errors import answers_errors
from registry.catalog.models import Environment, Version
from registry.errors import NotFound
from registry.runs.queries import held_run
from registry.runs.tickets import RUN_TOKEN_PREFIX

FOREVER = "max-age=31536000, immutable"
TYPE = "application/octet-stream"
STORED = "/.stored/"  # where deploy/nginx.conf has the storage; no owner's name begins so


@require_safe
@answers_errors
def wheel(request: HttpRequest, shard: str, sha256: str, filename: str) -> HttpResponseBase:
    """The wheel. A whole download by a person counts as an install; a runner's does not."""
    version = _authorised(request, shard, sha256, filename)
    etag = f'"{version.sha256}"'
    if unchanged := get_conditional_response(request, etag=etag):
        return _dressed(unchanged, version, etag)
    key = storage.key("wheels", version.sha256)
    address = storage.get().url(key, version.filename) if request.method == "GET" else None
    if address is None:
        response = _dressed(_bytes(request, key, version, etag), version, etag)
    else:
        response = HttpResponseRedirect(address)
        response["Cache-Control"] = "no-store"  # the address expires within minutes
    whole = request.method == "GET" and "Range" not in request.headers
    if whole and not _by_runner(request):
        _count_install(version)
    return response


@require_safe
@answers_errors
def metadata(request: HttpRequest, shard: str, sha256: str, filename: str) -> HttpResponseBase:
    """The wheel's METADATA on its own (PEP 658), so that resolving needs no download."""
    version = _authorised(request, shard, sha256, filename)
    etag = f'"{version.metadata_sha256}"'
    if unchanged := get_conditional_response(request, etag=etag):
        return _dressed(unchanged, version, etag)
    with storage.get().open(storage.key("metadata", version.metadata_sha256)) as reader:
        response = HttpResponse(reader.read(), content_type="text/plain; charset=utf-8")
    return _dressed(response, version, etag)


def _authorised(request: HttpRequest, shard: str, sha256: str, filename: str) -> Version:
    """The version whose file this is; 404 where the asker may not install it.

    Two owners may have published the same bytes: any version that the asker may install does.
    What everybody may install is found before anybody is identified, so that the answer varies
    with no cookie and shared caches can keep it.
    """
    named = Version.objects.filter(sha256=sha256, filename=filename, deleted_at=None, staged="")
    versions = list(named.select_related("environment__owner")) if shard == sha256[:2] else []
    allowed = [v for v in versions if can(AnonymousUser(), "version.install", v)]
    if not allowed and _by_runner(request):
        run = held_run(auth.credentials(request) or "")
        allowed = [version for version in versions if version.pk == run.version_id]
    elif not allowed:
        who, token = auth.identify(request)
        allowed = [v for v in versions if can(who, "version.install", v, token)]
    if not allowed:
        raise NotFound(f"there is no file {filename[:120]!r} of that sha256, or you may not see it")
    return allowed[0]


def _count_install(version: Version) -> None:
    """One more, but where a change holds the row just now: that may wait for the storage, and
    downloads must not wait for it."""
    rows = Environment.objects.filter(pk=version.environment_id)
    with transaction.atomic():
        free = rows.select_for_update(skip_locked=True, no_key=True).values("pk")
        Environment.objects.filter(pk__in=free).update(installs=F("installs") + 1)


def _by_runner(request: HttpRequest) -> bool:
    return request.headers.get("Authorization", "").startswith(f"Bearer {RUN_TOKEN_PREFIX}")


def _bytes(request: HttpRequest, key: str, version: Version, etag: str) -> HttpResponseBase:
    """200, 206 or 416 from our own storage; HEAD has the headers of the GET and no bytes.

    With HUB_ACCEL nginx does all that, told by a header where the bytes lie.
    """
    said = {"Content-Disposition": f'attachment; filename="{version.filename}"'}
    if settings.HUB_ACCEL:
        said["X-Accel-Redirect"] = f"{STORED}{key}"
        return HttpResponse(content_type=TYPE, headers=said)
    asked = request.headers.get("Range", "")
    if request.headers.get("If-Range", etag) != etag:
        asked = ""
    try:
        part = ranges.wanted(asked, version.size)
    except ranges.Unsatisfiable:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{version.size}"})
    start, end = part or (0, version.size)
    body = () if request.method == "HEAD" else storage.get().open(key, start, end)
    response = FileResponse(body, status=206 if part else 200, content_type=TYPE)
    for name, value in {**said, "Content-Length": str(end - start)}.items():
        response[name] = value  # in place of its own guesses
    if part:
        response["Content-Range"] = f"bytes {start}-{end - 1}/{version.size}"
    return response


def _dressed(response: HttpResponseBase, version: Version, etag: str) -> HttpResponseBase:
    """The headers that every answer about a file has. What strangers may not see, shared caches
    may not keep."""
    public = (
        version.environment.visibility == Environment.Visibility.PUBLIC
        and version.status == Version.Status.LISTED
    )
    response["ETag"] = etag
    if "X-Accel-Redirect" not in response:  # nginx says it by itself
        response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = f"{'public' if public else 'private'}, {FOREVER}"
    if not public:
        patch_vary_headers(response, ("Authorization", "Cookie"))
    return response
