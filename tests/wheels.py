"""Wheels built in memory: valid by default, invalid exactly where a test changes them."""

import base64
import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

TASKSET = '''"""Say the word."""

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

__all__ = ["WordTaskset"]

WORDS = ("amber", "birch", "cedar", "dahlia", "elder", "fern", "gorse", "hazel")


class WordData(vf.TaskData):
    answer: str


class WordTask(vf.Task[WordData]):
    @vf.reward(weight=1.0)
    async def said(self, trace: vf.Trace) -> float:
        return float(trace.last_reply.strip() == f"The word is {self.data.answer}.")

    def oracle(self, messages: list[dict[str, Any]]) -> str:
        return f"The word is {self.data.answer}."


class WordConfig(vf.TasksetConfig):
    """No option of its own."""


class WordTaskset(vf.Taskset[WordTask, WordConfig]):
    def load(self) -> Iterator[WordTask]:
        for word in WORDS:
            prompt = f"Answer with one sentence: The word is, then the word {word}, then a dot."
            yield WordTask(WordData(prompt=prompt, answer=word), self.config.task)
'''
README = "# Say the word\n\nSays which word was asked for.\n"
Fields = Mapping[str, str | Sequence[str] | None]


def make_wheel(
    name: str = "demo-env",
    version: str = "0.1.0",
    *,
    files: Mapping[str, str | bytes] | None = None,
    metadata: Fields | None = None,
    description: str = README,
    tag: str = "py3-none-any",
    dist_info: str | None = None,
    replace: Mapping[str, str | bytes | None] | None = None,
    record: Mapping[str, str | None] | None = None,
    extra: Sequence[tuple[zipfile.ZipInfo, bytes]] = (),
    compression: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    """The bytes of a wheel: a minimal verifiers v1 taskset under an exact RECORD.

    `files` are the members outside .dist-info (default: one package). `metadata` sets fields over
    the defaults; a list writes a field several times, None leaves it out. The rest breaks things:
    `replace` sets or (None) leaves out a .dist-info file, `record` rewrites (None: drops) the row
    of a path, and `extra` appends members that RECORD does not list.
    """
    folder = dist_info or f"{name.replace('-', '_')}-{version}.dist-info"
    members = {
        path: _bytes(content)
        for path, content in (
            {f"{name.replace('-', '_')}/__init__.py": TASKSET} if files is None else files
        ).items()
    }
    documents: dict[str, str | bytes | None] = {
        "METADATA": _metadata(name, version, metadata or {}, description),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: {tag}\n",
    }
    documents |= replace or {}
    listing = documents.pop("RECORD", "")
    members |= {f"{folder}/{k}": _bytes(v) for k, v in documents.items() if v is not None}
    if listing == "":
        listing = _record(members, f"{folder}/RECORD", record or {})
    if listing is not None:
        members[f"{folder}/RECORD"] = _bytes(listing)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for path, data in members.items():
            archive.writestr(entry(path, compression=compression), data)
        for info, data in extra:
            archive.writestr(info, data)
    return file.getvalue()


def write_wheel(
    folder: Path, name: str = "demo-env", version: str = "0.1.0", **breakages: object
) -> Path:
    """The same as a file with its right name."""
    path = folder / filename(name, version)
    path.write_bytes(make_wheel(name, version, **breakages))  # type: ignore[arg-type]
    return path


def filename(name: str = "demo-env", version: str = "0.1.0", tag: str = "py3-none-any") -> str:
    """The wheel's file name in normal form."""
    return f"{name.replace('-', '_')}-{version}-{tag}.whl"


def entry(
    path: str, *, mode: int = 0o100644, compression: int = zipfile.ZIP_DEFLATED
) -> zipfile.ZipInfo:
    """A member's header with a fixed time, so that equal content gives equal bytes."""
    info = zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0))
    info.external_attr = mode << 16
    info.compress_type = compression
    return info


def record_row(path: str, data: bytes) -> str:
    """A member's line in RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    quoted = f'"{path}"' if "," in path else path
    return f"{quoted},sha256={digest},{len(data)}"


def _record(members: Mapping[str, bytes], itself: str, rows: Mapping[str, str | None]) -> str:
    lines = {path: record_row(path, data) for path, data in members.items()}
    lines[itself] = f"{itself},,"
    changed: dict[str, str | None] = lines | dict(rows)
    return "".join(f"{line}\n" for line in changed.values() if line is not None)


def _metadata(name: str, version: str, fields: Fields, description: str) -> str:
    headers: dict[str, str | Sequence[str] | None] = {
        "Metadata-Version": "2.4",
        "Name": name,
        "Version": version,
        "Summary": "Say the word that is asked for.",
        "Keywords": "single-turn,offline",
        "License-Expression": "Apache-2.0",
        "Requires-Python": ">=3.11",
        "Requires-Dist": ["verifiers<0.5,>=0.4"],
        "Description-Content-Type": "text/markdown",
    }
    lines = []
    for field, values in (headers | dict(fields)).items():
        several = [values] if isinstance(values, str) else values or ()
        lines += [f"{field}: {value}\n" for value in several]
    return "".join(lines) + "\n" + description


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
