"""The legacy upload form around a wheel, as twine and uv send it, and what it must say.

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
    """A received wheel with the form that came along; digests are of the received bytes, hex."""

    filename: str
    file: BinaryIO | Path
    fields: Mapping[str, list[str]]
    sha256: str
    blake2_256: str

    @classmethod
    def of(cls, file: BinaryIO | Path, filename: str, fields: Mapping[str, list[str]]) -> Upload:
        """Read the bytes once for both digests."""
        sha256, blake2 = hashlib.sha256(), hashlib.blake2b(digest_size=32)
        for piece in base.pieces(file):
            sha256.update(piece)
            blake2.update(piece)
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
    """It asks to upload a file, by the one protocol there is."""
    for name, wanted in ((":action", "file_upload"), ("protocol_version", "1")):
        said = upload.field(name)
        if said != wanted:
            yield finding("request.invalid", f"{name} is {said!r}, not {wanted!r}", where=name)


def file_is_wheel(upload: Upload) -> Iterator[Finding]:
    """The file is declared and named as a wheel."""
    said = upload.field("filetype")
    if said != "bdist_wheel":
        yield finding(
            "upload.unsupported_file", f"filetype is {said!r}, not 'bdist_wheel'", where="filetype"
        )
    elif not upload.filename.endswith(".whl"):
        yield finding(
            "upload.unsupported_file", f"{upload.filename!r} does not end in .whl", where="content"
        )


def names_are_given(upload: Upload) -> Iterator[Finding]:
    """The environment's name and version are there and keep their rules."""
    for name, rule in (("name", names.check_name), ("version", names.canonical_version)):
        try:
            rule(upload.field(name))
        except names.BadName as error:
            yield finding("request.invalid", f"form field {name}: {error}", where=name)


def digests_match(upload: Upload) -> Iterator[Finding]:
    """At least one digest is given, and each one given is that of the bytes that arrived."""
    received = {"sha256_digest": upload.sha256, "blake2_256_digest": upload.blake2_256}
    given = {name: upload.field(name).lower() for name in received}
    if not any(given.values()):
        yield finding("request.invalid", f"one of {', '.join(received)} is required")
    for name, said in given.items():
        if said and not hmac.compare_digest(said.encode(), received[name].encode()):
            yield finding(
                "request.invalid",
                f"{name} is {said[:64]!r}, but the bytes that arrived have {received[name]!r}",
                where=name,
                hint="The file was cut off or changed on its way; upload it again.",
            )


def form_repeats_metadata(upload: Upload, whl: Wheel) -> Iterator[Finding]:
    """What the form says of the environment is what METADATA says."""
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
    for name, said, true in pairs:
        if said != true:
            yield finding(
                "metadata.form_mismatch",
                f"form field {name} says {str(said)[:400]!r}, METADATA {str(true)[:400]!r}",
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
