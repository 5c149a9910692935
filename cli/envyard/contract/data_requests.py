"""Reads a request of a data set client by a grammar; nothing else of it reaches the upstream.

The grammar covers the read-only part of the Hugging Face Hub API that `huggingface_hub` 0.25 to 2
and `datasets` 2.19 to 5 use: https://huggingface.co/docs/hub/api
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs, unquote

from envyard.contract.data_names import NAME, Kind, is_name, is_path, is_revision

MAX_TARGET = 4096  # characters of path and query
MAX_PATHS = 100  # of one paths-info request
RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")

_KINDS: dict[str, Kind] = {"datasets": "dataset", "models": "model"}
_API = rf"/api/(?P<kind>datasets|models)/(?P<name>{NAME})"
_REVISION = r"(?P<revision>[^/]{1,400})"
_PATH = r"(?P<path>.{1,3000})"

Operation = Literal["info", "tree", "paths-info", "refs", "file"]
_ROUTES: tuple[tuple[Operation, re.Pattern[str]], ...] = (
    ("info", re.compile(rf"{_API}(?:/revision/{_REVISION})?")),
    ("tree", re.compile(rf"{_API}/tree/{_REVISION}(?:/{_PATH})?")),
    ("paths-info", re.compile(rf"{_API}/paths-info/{_REVISION}")),
    ("refs", re.compile(rf"{_API}/refs")),
    ("file", re.compile(rf"/(?:(?P<kind>datasets)/)?(?P<name>{NAME})/resolve/{_REVISION}/{_PATH}")),
)
_METHODS: dict[Operation, tuple[str, ...]] = {"paths-info": ("POST",)}
_READ = ("GET", "HEAD")


class Refused(Exception):
    """A request that is answered with an error; `code` is the hub's X-Error-Code, "" for none."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository by kind and name."""

    kind: Kind
    name: str

    def __str__(self) -> str:
        return self.name if self.kind == "dataset" else f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class DataRequest:
    """One request that fits the grammar; `path` is "" where it names none."""

    operation: Operation
    repository: Repository
    revision: str
    path: str = ""
    recursive: bool = False


def read(method: str, target: str) -> DataRequest:
    """Read a request line; raises Refused 400, 404 or 405."""
    if len(target) > MAX_TARGET:
        raise Refused(414, "the address is too long")
    address, _, query = target.partition("?")
    matches = ((name, pattern.fullmatch(address)) for name, pattern in _ROUTES)
    operation, match = next((pair for pair in matches if pair[1]), (None, None))
    if operation is None or match is None:
        raise Refused(404, "the data endpoint has no such address")
    if method not in _METHODS.get(operation, _READ):
        raise Refused(405, "the data endpoint only reads")
    fields = match.groupdict()
    name, kind = fields["name"], _KINDS[fields["kind"] or "models"]
    revision = _decoded(fields.get("revision") or "main")
    path = _decoded(fields.get("path") or "").rstrip("/")
    if not is_name(name) or not is_revision(revision) or (path and not is_path(path)):
        raise Refused(400, "the repository, revision or path is not a plain name")
    flags = _fields(query, 20) if operation == "tree" else {}
    return DataRequest(
        operation=operation,
        repository=Repository(kind, name),
        revision=revision,
        path=path,
        recursive=_flag(flags, "recursive"),
    )


def read_paths(body: bytes) -> list[str]:
    """The paths of a paths-info body, JSON or form; raises Refused 400."""
    try:
        content = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(400, "the body is not UTF-8") from None
    try:
        data = json.loads(content)
    except RecursionError:
        raise Refused(400, "the body is not JSON") from None
    except ValueError:
        data = _fields(content, 2 * MAX_PATHS)
    paths = data.get("paths") if isinstance(data, dict) else None
    values = [paths] if isinstance(paths, str) else paths
    if not isinstance(values, list) or len(values) > MAX_PATHS:
        raise Refused(400, f"paths must be a list of at most {MAX_PATHS}")
    read = [path.strip("/") if isinstance(path, str) else "" for path in values]
    if not all(is_path(path) for path in read):
        raise Refused(400, "a path is not a plain relative path")
    return read


def byte_range(header: str | None, size: int) -> tuple[int, int, int]:
    """First and last byte, and the status: 200, 206, or 416 for a range outside of the file.

    One range is served (RFC 9110, 14.2); a header of another form is ignored.
    """
    match = RANGE.fullmatch(header or "")
    if match is None or match.groups() == ("", ""):
        return 0, size - 1, 200
    start, end = match.groups()
    if not start:
        length = min(int(end), size)
        return (size - length, size - 1, 206) if length else (0, -1, 416)
    first, last = int(start), min(int(end), size - 1) if end else size - 1
    return (first, last, 206) if first <= last else (0, -1, 416)


def _decoded(value: str) -> str:
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise Refused(400, "the address is not UTF-8") from None


def _fields(content: str, maximum: int) -> dict[str, list[str]]:
    try:
        return parse_qs(content, max_num_fields=maximum)
    except ValueError:
        raise Refused(400, "the request has too many fields") from None


def _flag(query: dict[str, list[str]], name: str) -> bool:
    return query.get(name, [""])[0].lower() in ("true", "1")
