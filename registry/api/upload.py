"""POST /legacy/{owner}/: the upload that stock twine and uv know.

Source: what twine 7 and uv 0.13 send and show. twine prints the reason phrase of a refusal, uv
its body, so both carry the message.
"""

from __future__ import annotations

import tempfile
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt

from envyard.contract.names import normalise
from registry import pipeline, rate_limits
from registry.accounts.models import Owner, Token, User
from registry.api.auth import token_of
from registry.api.errors import full_disk_refused, headers, request_id
from registry.errors import HubError, NotFound
from registry.publishers import exchange
from registry.uploads import limits, services

TEXT = "text/plain; charset=utf-8"
PROBLEM = "application/problem+json"
MAX_REASON = 400
IN_MEMORY = 1 << 18  # bytes of a wheel that need no file; most are shorter
USE = "This address takes uploads: twine upload --repository-url {url} dist/*.whl\n"


@csrf_exempt  # it takes a token, never the browser's session
def upload(request: HttpRequest, owner: str) -> HttpResponseBase:
    """Publish the wheel in the form under that owner: 200, or a refusal with its reason."""
    if request.method != "POST":
        url = f"{settings.HUB_URL}{reverse('upload', args=[owner])}"
        return HttpResponse(
            USE.format(url=url), status=405, headers={"Allow": "POST"}, content_type=TEXT
        )
    try:
        with full_disk_refused():
            accepted, by = _accept(request, owner)
            more = _retried(accepted, by)
    except HubError as error:
        return _refusal(request, error)
    version = accepted.version
    done = "accepted" if accepted.created else "already here"
    return HttpResponse(f"{version} {done}: {version.filename}{more}\n", content_type=TEXT)


def _retried(accepted: services.Accepted, by: User) -> str:
    """What became of a held version whose bytes were pushed again; empty for any other."""
    version = accepted.version
    if accepted.created or version.status != version.Status.HELD:
        return ""
    return f" ({pipeline.retry_pushed(version=version, by=by)})"


def _accept(request: HttpRequest, owner: str) -> tuple[services.Accepted, User]:
    """The version, and who pushed it."""
    token = token_of(request)
    if token is None:
        raise HubError(
            "request.unauthenticated",
            "an upload needs an API token",
            "Give the user name __token__ and a hub_... token as the password.",
            401,
        )
    with rate_limits.counting_refused_uploads(token.user_id):
        return _read_and_accept(request, token, owner)


def _read_and_accept(
    request: HttpRequest, token: Token, owner: str
) -> tuple[services.Accepted, User]:
    under = _owner(token, owner)
    fields, file = _form(request)
    name = normalise("".join(fields.get("name", ())[:1]))
    token = exchange.reach(token=token, owner=under, name=name)
    accepted = services.accept(
        wheel=cast("BinaryIO", file.file),
        filename=file.name or "",
        form=fields,
        owner=under,
        by=token.user,
        token=token,
    )
    return accepted, token.user


def _owner(token: Token, name: str) -> Owner:
    """Mostly the token's own person, who came with it."""
    own = getattr(token.user, "owner", None)  # operators may make users without one
    row = own if own and own.name == name else Owner.objects.filter(name=name).first()
    if row is None:
        raise NotFound(f"there is no owner {name!r}")
    return row


def _form(request: HttpRequest) -> tuple[dict[str, list[str]], UploadedFile]:
    """The fields and the one file, on disk; what an interrupted request wrote goes with it."""
    if "Transfer-Encoding" in request.headers:
        raise HubError(
            "request.invalid",
            "the upload comes in chunks, without a Content-Length",
            "Send it with one, or through a proxy that collects the body first.",
            411,
        )
    length = int(request.headers.get("Content-Length") or 0)
    if length > limits.upload_bytes():
        raise HubError(
            "wheel.too_large",
            f"the upload has {length} bytes; the limit is {limits.upload_bytes()}",
            status=413,
        )
    request.upload_handlers = [_Unnamed(request)]
    try:
        fields, files = request.POST, request.FILES
    except RequestDataTooBig:
        raise HubError("request.too_large", "the form's fields are too long", status=413) from None
    except (MultiPartParserError, UnreadablePostError, SuspiciousOperation) as error:
        raise HubError("request.invalid", f"the form cannot be read: {error}") from None
    sent = [name for name in files for _ in files.getlist(name)]
    if sent != ["content"]:
        raise HubError(
            "request.invalid",
            f"the form must have one file, content; it has {', '.join(sent) or 'none'}",
        )
    return dict(fields.lists()), cast("UploadedFile", files["content"])


class _Unnamed(FileUploadHandler):
    """Receives into memory or a file without a name, gone with the process in any case."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - it goes with the request

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.file.write(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile:
        return UploadedFile(self.file, self.file_name, self.content_type, file_size)

    def upload_interrupted(self) -> None:
        if hasattr(self, "file"):
            self.file.close()


def _refusal(request: HttpRequest, error: HubError) -> HttpResponse:
    message = f"{error.message.rstrip('.')}. {error.hint}".strip()
    response: HttpResponse
    if request.get_preferred_type(["application/json", "text/plain"]) == "text/plain":
        response = HttpResponse(
            f"{message} [{error.code}]\n", status=error.status, content_type=TEXT
        )
    else:
        # `title` and `detail` are RFC 9457's, which uv shows; the rest is the API's own shape.
        body = {"title": error.code, "detail": message} | error.to_dict(request_id(request))
        response = JsonResponse(body, status=error.status, content_type=PROBLEM)
    plain = message.encode("ascii", "replace").decode()
    response.reason_phrase = "".join(c if c.isprintable() else " " for c in plain)[:MAX_REASON]
    for name, value in headers(error).items():
        response[name] = value
    return response
