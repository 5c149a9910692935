"""The legacy upload form around a wheel, as twine and uv send it, and its checks.

METADATA inside the wheel is the only truth: the form may repeat it but not differ from it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from envyard.contract import names
from envyard.contract.findings import Finding, finding
from envyard.contract.wheel import Wheel
from registry.storage import base


@dataclass(frozen=True, slots=True)
class Upload:
    """A received wheel with its form; digests are hex, of the received bytes."""

    filename: str
    file: BinaryIO | Path
    fields: Mapping[str, list[str]]
    sha256: str
    blake2_256: str

    @classmethod
    def of(cls, file: BinaryIO | Path, filename: str, fields: Mapping[str, list[str]]) -> Upload:
        """Read the bytes once for both digests."""
        sha256, blake2 = hashlib.sha256(), hashlib.blake2b(digest_size=32)
        for chunk in base.chunks(file):
            sha256.update(chunk)
            blake2.update(chunk)
        return cls(filename, file, fields, sha256.hexdigest(), blake2.hexdigest())

    def field(self, name: str) -> str:
        """The field's one value, stripped; empty where it is absent."""
        values = self.several(name)
        return values[0] if values else ""

    def several(self, name: str) -> list[str]:
        """All values of a field that may repeat."""
        values = (value.strip() for value in self.fields.get(name, ()))
        return [value for value in values if value]


def form_is_upload(upload: Upload) -> Iterator[Finding]:
    """`:action` and `protocol_version` are those of a file upload."""
    for name, expected in ((":action", "file_upload"), ("protocol_version", "1")):
        value = upload.field(name)
        if value != expected:
            yield finding("request.invalid", f"{name} is {value!r}, not {expected!r}", where=name)


def file_is_wheel(upload: Upload) -> Iterator[Finding]:
    """The file is declared and named as a wheel."""
    filetype = upload.field("filetype")
    if filetype != "bdist_wheel":
        yield finding(
            "upload.unsupported_file",
            f"filetype is {filetype!r}, not 'bdist_wheel'",
            where="filetype",
        )
    elif not upload.filename.endswith(".whl"):
        yield finding(
            "upload.unsupported_file", f"{upload.filename!r} does not end in .whl", where="content"
        )


def names_are_given(upload: Upload) -> Iterator[Finding]:
    """Name and version of the environment are present and valid."""
    for name, rule in (("name", names.check_name), ("version", names.canonical_version)):
        try:
            rule(upload.field(name))
        except names.BadName as error:
            yield finding("request.invalid", f"form field {name}: {error}", where=name)


def digests_match(upload: Upload) -> Iterator[Finding]:
    """At least one digest is present, and each is that of the received bytes."""
    received = {"sha256_digest": upload.sha256, "blake2_256_digest": upload.blake2_256}
    digests = {name: upload.field(name).lower() for name in received}
    if not any(digests.values()):
        yield finding("request.invalid", f"one of {', '.join(received)} is required")
    for name, digest in digests.items():
        if digest and not hmac.compare_digest(digest.encode(), received[name].encode()):
            yield finding(
                "request.invalid",
                f"{name} is {digest[:64]!r}, but the bytes that arrived have {received[name]!r}",
                where=name,
                hint="The file was cut off or changed on its way; upload it again.",
            )


def form_repeats_metadata(upload: Upload, whl: Wheel) -> Iterator[Finding]:
    """The metadata fields of the form equal METADATA."""
    truth = whl.metadata
    pairs: Iterable[tuple[str, object, object]] = (
        ("name", names.normalise(upload.field("name")), names.normalise(truth.name)),
        ("version", names.canonical_version(upload.field("version")), whl.version),
        ("metadata_version", upload.field("metadata_version"), truth.metadata_version),
        ("summary", upload.field("summary"), truth.summary),
        (
            "requires_python",
            _specifiers(upload.field("requires_python")),
            _specifiers(truth.requires_python),
        ),
        (
            "requires_dist",
            sorted(_requirement(line) for line in upload.several("requires_dist")),
            sorted(_requirement(line) for line in truth.requires_dist),
        ),
    )
    for name, value, expected in pairs:
        if value != expected:
            yield finding(
                "metadata.form_mismatch",
                f"form field {name} says {str(value)[:400]!r}, METADATA {str(expected)[:400]!r}",
                where=name,
            )


FORM: tuple[Callable[[Upload], Iterable[Finding]], ...] = (
    form_is_upload,
    file_is_wheel,
    names_are_given,
    digests_match,
)


def _specifiers(text: str) -> str:
    try:
        return str(SpecifierSet(text))
    except ValueError:
        return text


def _requirement(text: str) -> str:
    try:
        return str(Requirement(text))
    except (RecursionError, ValueError):
        return text
