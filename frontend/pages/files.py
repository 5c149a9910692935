"""The files of a version: folders, highlighted files with links to lines, raw bytes.

A tree is `source`, the archive that its publisher sent beside the wheel, or `wheel`. Paths come
from the archive's list of members alone.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.html import format_html_join
from django.utils.http import content_disposition_header
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from frontend import rates
from frontend.access import follows_moves, sentences, version_or_404
from frontend.pages.environment_head import head, tabs
from frontend.render import plain
from frontend.render import raw as raw_types
from registry import rate_limits
from registry.accounts.permissions import can
from registry.catalog.models import Version
from registry.errors import HubError, NotFound
from registry.read_models import environments, versions
from registry.sources import browse
from registry.sources.models import Source
from registry.uploads import highlighting

WHEEL, SOURCE = "wheel", "source"
SHOWN = 256 * 1024  # bytes of a file that a page shows
MAX_RAW = 8 << 20  # bytes; larger ones are in the download
HOUR = 3600


@require_safe
@follows_moves
def default(request: HttpRequest, owner: str, name: str, number: str) -> HttpResponse:
    """Redirect to the source archive, or else to the wheel."""
    version = _version(request, owner, name, number)
    tree = SOURCE if _source(version) else WHEEL
    return redirect("version-tree", *_names(version), tree)


@require_safe
@follows_moves
def entry(
    request: HttpRequest, owner: str, name: str, number: str, tree: str, path: str = ""
) -> HttpResponse:
    """A folder or a file."""
    version = _version(request, owner, name, number)
    source = _archive(version, tree)
    context: dict[str, Any] = {
        "env": environments.summary(version.environment),
        **head(request, version.environment, version),
        "version": versions.detail(version),
        "tabs": tabs(request, version.environment, on="files"),
        "tree": tree,
        "other": WHEEL if tree == SOURCE else SOURCE if _source(version) else "",
        "path": path.strip("/"),
        "name": path.strip("/").rpartition("/")[2],
        "parents": _parents(version, tree, path),
    }
    status = 200
    try:
        rates.check(request, "file")
        context |= _shown(version, source, tree, path)
    except NotFound as problem:
        raise Http404 from problem
    except HubError as problem:
        context["problem"], status = sentences(problem), problem.status
    return render(request, "pages/files.html", context, status=status)


@require_safe
@follows_moves
def raw(
    request: HttpRequest, owner: str, name: str, number: str, tree: str, path: str
) -> HttpResponse:
    """The bytes of a file, by a type under which nothing of them runs."""
    version = _version(request, owner, name, number)
    source = _archive(version, tree)
    archive = source.sha256 if source else version.sha256
    etag = f'"{hashlib.sha256(f"{archive}/{path}".encode()).hexdigest()}"'
    unchanged = get_conditional_response(request, etag=etag)
    if isinstance(unchanged, HttpResponseNotModified):
        return _guarded(unchanged, etag)
    try:
        rates.check(request, "file")
        file = browse.browse(version=version, source=source, path=path, limit=MAX_RAW)
    except NotFound as problem:
        raise Http404 from problem
    except HubError as problem:
        return _refused(problem)
    if not isinstance(file, browse.File):
        raise Http404
    if file.size > MAX_RAW:
        raise Http404(f"{path} is larger than {MAX_RAW} bytes")
    kind = raw_types.content_type(file.path, file.data)
    response = HttpResponse(file.data, content_type=kind)
    if kind == raw_types.OTHER:
        name = file.path.rpartition("/")[2]
        response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return _guarded(response, etag)


def top_folder(request: HttpRequest, version: Version) -> dict[str, Any]:
    """The folder of the source archive, or else of the wheel, that holds all others; empty where
    the reader may not install the version, and where it cannot be read now."""
    if not can(request.user, "version.install", version):
        return {}
    source = _source(version)
    tree = SOURCE if source else WHEEL
    try:
        rate_limits.check(request, "file")  # the tab has downloads too, and stays a page
        return {"tree": tree, **_shown(version, source, tree, "")}
    except HubError:
        return {}


def _shown(version: Version, source: Source | None, tree: str, path: str) -> dict[str, Any]:
    """The context of the folder or the file."""
    shown = browse.browse(version=version, source=source, path=path, limit=SHOWN)
    if isinstance(shown, browse.Tree):
        rows = [
            {"name": row.path.rpartition("/")[2], "size": row.size, "url": _url(version, tree, row)}
            for row in shown.entries
        ]
        return {"entries": rows, "cut": shown.cut}
    context: dict[str, Any] = {
        "size": shown.size,
        "raw": reverse("version-raw", args=[*_names(version), tree, shown.path])
        if shown.size <= MAX_RAW
        else "",
        "image": bool(raw_types.image_type(shown.path)),
    }
    text = raw_types.text_of(shown.data)
    if text is not None and shown.size <= SHOWN:
        lines = highlighting.lines_in_process(plain.visible(text), shown.path.rpartition("/")[2])
        context["lines"] = _numbered(lines)
    return context


def _numbered(lines: list[str]) -> SafeString:
    """The lines with numbers that are links to themselves."""
    return format_html_join(
        "\n",
        '<a class="line" id="L{0}" href="#L{0}">{0}</a><code>{1}</code>',
        ((number, mark_safe(line)) for number, line in enumerate(lines, 1)),  # noqa: S308 - escaped
    )


def _version(request: HttpRequest, owner: str, name: str, number: str) -> Version:
    """The version, for those who may install it."""
    version = version_or_404(request, owner, name, number)
    if not can(request.user, "version.install", version):
        raise Http404
    return version


def _source(version: Version) -> Source | None:
    return Source.objects.filter(version=version).first()


def _archive(version: Version, tree: str) -> Source | None:
    """The source archive, None for the wheel; 404 for a tree that the version does not have."""
    source = _source(version) if tree == SOURCE else None
    if tree != WHEEL and source is None:
        raise Http404
    return source


def _names(version: Version) -> tuple[str, str, str]:
    env = version.environment
    return env.owner.name, env.name, version.version


def _url(version: Version, tree: str, row: browse.Entry) -> str:
    return reverse("version-file", args=[*_names(version), tree, row.path])


def _parents(version: Version, tree: str, path: str) -> list[tuple[str, str]]:
    """Name and address of each folder above."""
    root = (tree, reverse("version-tree", args=[*_names(version), tree]))
    parts = path.strip("/").split("/")[:-1]
    folders = ["/".join(parts[: number + 1]) for number in range(len(parts))]
    links = [reverse("version-file", args=[*_names(version), tree, each]) for each in folders]
    return [root, *zip(parts, links, strict=True)]


def _guarded(response: HttpResponse, etag: str) -> HttpResponse:
    response["Content-Security-Policy"] = raw_types.POLICY
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = f"private, max-age={HOUR}"
    response["ETag"] = etag
    return response


def _refused(problem: HubError) -> HttpResponse:
    response = HttpResponse(sentences(problem), content_type=raw_types.TEXT, status=problem.status)
    if "retry_after" in problem.details:
        response["Retry-After"] = str(problem.details["retry_after"])
    return response
