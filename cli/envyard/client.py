"""HTTP to the hub: time-outs, retries of reads, and the hub's error shape as exceptions."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import requests
from urllib3.exceptions import HTTPError

from envyard import __version__
from envyard.config import Config
from envyard.contract.codes import CODES
from envyard.contract.names import Ref
from envyard.contract.values import text
from envyard.errors import ApiError, HubCliError, NoConnection, UsageError

TIMEOUT = (10.0, 60.0)
RETRIES = 4
BLOCK = 1 << 16
MAX_ANSWER = 64 << 20  # bytes of a JSON answer, decompressed
MAX_ANSWER_SECONDS = 300.0
MAX_MESSAGE = 4000  # characters of an error
ENVIRONMENT_URL = re.compile(r"/api/v1/environments/([^/]+)/([^/]+)/(?:versions/([^/]+)/)?")
RUN_URL = re.compile(r"/api/v1/runs/([^/]+)/")


class Answer(dict[str, Any]):
    """An object of a hub's answer; reading a missing field raises HubCliError."""

    def __missing__(self, name: str) -> Any:
        """Raise HubCliError with the name of the field."""
        raise HubCliError(
            f"the hub's answer has no field {name!r}, which hub {__version__} needs",
            "The hub may be of another release: install the hub command that its page /publish/ "
            "offers, or set HUB_URL to another hub.",
            "cli.unexpected_answer",
        )


class Hub:
    """One hub, as one person. Paths are relative to /api/v1/ unless they begin with a slash.

    `has_answered` is whether any hub sent this process an answer.
    """

    has_answered = False

    def __init__(
        self, config: Config, session: requests.Session | None = None, *, tries: int = RETRIES
    ) -> None:
        self.url = config.url
        self.tries = tries
        self.token = config.token
        self.session = session or requests.Session()
        self.session.headers["User-Agent"] = f"envyard/{__version__}"
        self.session.hooks["response"].append(_drop_redirect_body)

    def get(self, path: str, **params: Any) -> Any:
        """A JSON answer; raises ApiError, NoConnection."""
        return self._json("GET", path, params={k: v for k, v in params.items() if v is not None})

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send JSON, read JSON; never retried."""
        return self._json("POST", path, json=body or {})

    def put(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Set a state, with `body` where it has one; idempotent."""
        return self._json("PUT", path, json=body)

    def patch(self, path: str, body: dict[str, Any]) -> Any:
        """Change the fields of `body`."""
        return self._json("PATCH", path, json=body)

    def delete(self, path: str) -> Any:
        """Delete; the answer is None where the hub sends none."""
        return self._json("DELETE", path)

    def pages(self, path: str, *, limit: int, **params: Any) -> Iterator[dict[str, Any]]:
        """Up to `limit` results, over all pages they need; a page without any is the last."""
        answer = self.get(path, limit=min(limit, 100), **params)
        while answer["results"]:
            for row in answer["results"]:
                if limit <= 0:
                    return
                limit -= 1
                yield row
            if not answer.get("next") or limit <= 0:
                return
            answer = self._json("GET", answer["next"])

    def version(self, ref: Ref) -> dict[str, Any]:
        """The named version, else the latest listed one, else the newest visible one; raises
        ApiError request.not_found where there is none."""
        if ref.version:
            version: dict[str, Any] = self.get(version_path(ref))
            return version
        detail = self.get(environment_path(ref))
        if not detail.get("latest_version"):
            raise ApiError(
                404,
                "request.not_found",
                f"{ref} has no version that you may see",
                "Publish one: hub push",
            )
        latest: dict[str, Any] = detail["latest_version"]
        return latest

    def read(self, path: str, *, limit: int) -> bytes:
        """The bytes of an answer, no more than `limit`; raises ApiError, NoConnection."""
        answer, content = self._send("GET", path, read=partial(_body, limit=limit))
        if answer.status_code >= 400:
            raise api_error(answer, content)
        return content

    def download(self, url: str, to: Path, *, size: int) -> None:
        """Fetch a file of this hub with our token, no more than `size` bytes; the caller checks its
        hash."""
        answer, _ = self._send("GET", url, read=_not_read)
        with answer, to.open("wb") as out:
            if answer.status_code >= 400:
                raise api_error(answer, _body(answer))
            try:
                for block in answer.iter_content(BLOCK):
                    out.write(block)
                    if out.tell() > size:
                        return
            except requests.RequestException as exc:
                raise NoConnection(
                    f"the download of {to.name} was interrupted: {reason(exc)}", "Try again."
                ) from exc

    def _json(self, method: str, path: str, **kwargs: Any) -> Any:
        answer, content = self._send(method, path, **kwargs)
        if answer.status_code >= 400:
            raise api_error(answer, content)
        if not content:
            return None
        try:
            document = json.loads(content, object_hook=Answer)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, Answer):
            raise NoConnection(
                f"the answer of {self.url} is not a hub's", "Check HUB_URL, or `hub login --url`."
            )
        return document

    def _send(
        self,
        method: str,
        path: str,
        *,
        read: Callable[[requests.Response], bytes] | None = None,
        **kwargs: Any,
    ) -> tuple[requests.Response, bytes]:
        """The answer, and its body unless `read` leaves it to the caller."""
        url = self._absolute(path)
        headers = {"Accept": "application/json"}
        if self.token and url.startswith(self.url + "/"):
            headers["Authorization"] = f"Bearer {self.token}"
        tries = self.tries if method == "GET" else 1
        for tries_left in reversed(range(tries)):
            try:
                answer = self.session.request(
                    method, url, headers=headers, timeout=TIMEOUT, stream=True, **kwargs
                )
                content = (read or _body)(answer)
                Hub.has_answered = True
                return answer, content
            except (OSError, HTTPError) as exc:
                if not tries_left:
                    raise NoConnection(
                        f"cannot reach {self.url}: {reason(exc)}",
                        "Is the hub running? Set HUB_URL or `hub login --url` to another one.",
                        "cli.no_connection",
                    ) from exc
                time.sleep(0.3 * 2 ** (tries - tries_left))
        raise AssertionError("unreachable")

    def _absolute(self, path: str) -> str:
        if any(unquote(part) in (".", "..") for part in re.split("[/?#]", path)):
            raise UsageError(
                f"{path!r:.300} has . or .. as a part, which is no name",
                "Check the name: the request would lead to another address.",
            )
        if path.startswith(("http://", "https://")):
            return path
        return self.url + (path if path.startswith("/") else f"/api/v1/{path}")


def _drop_redirect_body(answer: requests.Response, **_: Any) -> None:
    """Close an answer that redirects: its body would be read whole before the next request."""
    if answer.is_redirect:
        answer.close()


def _not_read(_: requests.Response) -> bytes:
    return b""


def _body(answer: requests.Response, *, limit: int | None = None) -> bytes:
    """The decompressed body; raises NoConnection for one beyond the limits of size and time."""
    deadline, limit = time.monotonic() + MAX_ANSWER_SECONDS, limit or MAX_ANSWER
    content = bytearray()
    with answer:
        while block := answer.raw.read1(BLOCK, decode_content=True):
            content += block
            if len(content) > limit or time.monotonic() > deadline:
                raise NoConnection(
                    f"the answer of {answer.url} has more than {limit >> 20} MiB, or takes "
                    f"longer than {MAX_ANSWER_SECONDS:.0f} s",
                    "Check HUB_URL, or report it to the hub's operator.",
                    "cli.unexpected_answer",
                )
    return bytes(content)


def environment_path(ref: Ref) -> str:
    """The API path of an environment, with a slash at the end."""
    return f"environments/{quote(ref.owner)}/{quote(ref.name)}/"


def version_path(ref: Ref) -> str:
    """The API path of the version that the reference names."""
    return f"{environment_path(ref)}versions/{quote(ref.version or '')}/"


def reason(exc: Exception) -> str:
    """The message of the innermost exception; requests wraps it three times."""
    inner: BaseException = exc
    while inner.__cause__ or inner.__context__:
        inner = inner.__cause__ or inner.__context__ or inner
    return (
        getattr(inner, "strerror", None) or str(inner).split(":")[-1].strip() or type(exc).__name__
    )


def subject(url: str) -> str:
    """What a request was about: `owner/name`, `owner/name==version`, `run ID`, else its path."""
    path = unquote(urlsplit(url).path)
    if match := ENVIRONMENT_URL.match(path):
        owner, name, version = match.groups()
        return f"{owner}/{name}=={version}" if version else f"{owner}/{name}"
    match = RUN_URL.match(path)
    return f"run {match[1]}" if match else path


def api_error(answer: requests.Response, content: bytes) -> ApiError:
    """The hub's error; of an answer without the hub's error shape its status."""
    try:
        error = json.loads(content)["error"]
        code = text(error.get("code", "hub.error"), 100)
        message = text(error.get("message") or "", MAX_MESSAGE)
        hint = text(error.get("hint") or "", MAX_MESSAGE)
        if code == "request.not_found" and message in ("", CODES[code].message):
            message = f"{subject(answer.url)}: {message}"  # which of several requests failed
        authorization = answer.request.headers.get("Authorization")
        if code == "token.invalid" and authorization == f"Bearer {os.environ.get('HUB_TOKEN')}":
            hint = "The token is from HUB_TOKEN: unset that, or set another."
        return ApiError(
            answer.status_code,
            code,
            message or answer.reason,
            hint,
            error.get("details"),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ApiError(
            answer.status_code,
            "hub.error",
            f"the hub answered {answer.status_code} {answer.reason}",
            "Try again; if it persists, report it to the hub's operator.",
        )
