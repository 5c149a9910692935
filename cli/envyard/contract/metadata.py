"""The METADATA file of a wheel, the only source of an environment's name, version and texts.

Source: the core metadata specification, as `packaging.metadata` reads it. Hostile bytes never
raise: their errors are in `faults`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from packaging.metadata import InvalidMetadata, RawMetadata, parse_email
from packaging.metadata import Metadata as Strict
from packaging.requirements import Requirement

from envyard.contract import header_lines

FIELD_CODES = {
    "metadata-version": "metadata.bad_metadata_version",
    "name": "metadata.bad_name",
    "version": "metadata.bad_version",
    "requires-dist": "metadata.bad_requirement",
    "requires-python": "metadata.bad_requires_python",
    "license-expression": "metadata.bad_license",
    "description-content-type": "metadata.bad_content_type",
    "project-url": "metadata.bad_url",
}
# The libraries that read fields take time that grows with the square of these.
MAX_FIELDS = 4000
MAX_NAMES = 200
MAX_VALUE = 8192  # characters
FREE_TEXTS = {"description", "license"}
FOLDED = FREE_TEXTS | {
    "summary", "keywords", "author", "author-email", "maintainer", "maintainer-email", "platform",
}  # fmt: skip
MAIL_FIELDS = {"content-type", "content-transfer-encoding"}
NEWLINE = re.compile(r"\r\n|\r|\n")  # of the email parser; splitlines has more
MAX_TAG = 40
MAX_TAGS = 20
CLASSIFIED_LICENSE = "License :: "


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault of one field; `field` is its name in METADATA, lower case."""

    field: str
    message: str
    code: str = "metadata.bad_field"


@dataclass(frozen=True, slots=True)
class Metadata:
    """METADATA's fields as written; texts are empty where a field is absent.

    `keywords` are the environment's tags: stripped, lower case, without repetition. `license` is
    the expression, else the first line of the older field, else what the classifiers say.
    """

    raw: bytes = b""
    fields: RawMetadata = field(default_factory=RawMetadata)
    faults: tuple[Fault, ...] = ()
    metadata_version: str = ""
    name: str = ""
    version: str = ""
    summary: str = ""
    description: str = ""
    description_content_type: str = ""
    keywords: tuple[str, ...] = ()
    license: str = ""
    license_files: tuple[str, ...] = ()
    requires_python: str = ""
    requires_dist: tuple[str, ...] = ()
    authors: str = ""
    project_urls: dict[str, str] = field(default_factory=dict)


def is_plain(requirement: Requirement) -> bool:
    """Whether its text is one line that all readers, such as uv, parse in the same way.

    A marker's text may contain line breaks and quotes, which would become options of uv.
    """
    try:
        written = str(requirement)
        return written.isprintable() and Requirement(written) == requirement
    except (ValueError, RecursionError):  # ValueError: InvalidRequirement, and an unmatched quote
        return False


def parse(raw: bytes) -> Metadata:
    """Read METADATA's bytes; never raises."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return Metadata(
            raw, faults=(_file_fault("metadata.not_utf8", f"byte {error.start} is not UTF-8"),)
        )
    if "\0" in text:
        at = text.index("\0")
        return Metadata(raw, faults=(_file_fault("metadata.nul", f"a NUL is at character {at}"),))
    if excess := _excess(text) or _bad_line(text):
        return Metadata(raw, faults=(excess,))
    try:
        fields, unparsed = parse_email(raw)
    except (ArithmeticError, AssertionError, LookupError, RecursionError, TypeError, ValueError):
        return Metadata(
            raw, faults=(_file_fault("metadata.unreadable", "the headers cannot be parsed"),)
        )
    return Metadata(
        raw=raw,
        fields=fields,
        faults=(*_unparsed(unparsed), *_invalid(fields)),
        metadata_version=fields.get("metadata_version", ""),
        name=fields.get("name", ""),
        version=fields.get("version", ""),
        summary=fields.get("summary", "").strip(),
        description=fields.get("description", ""),
        description_content_type=fields.get("description_content_type", ""),
        keywords=_tags(fields.get("keywords", [])),
        license=_license(fields),
        license_files=tuple(fields.get("license_files", [])),
        requires_python=fields.get("requires_python", ""),
        requires_dist=tuple(fields.get("requires_dist", [])),
        authors=_authors(fields),
        project_urls=_links(fields),
    )


def _excess(text: str) -> Fault | None:
    """The first limit that the headers exceed, checked before slower parsers read them."""
    sizes: dict[str, int] = {}
    fields, name = 0, ""
    for line in NEWLINE.split(text):
        if not line.startswith((" ", "\t")):
            name, colon, _ = line.partition(":")
            if not colon:
                break
            name = name.lower()
            if name in MAIL_FIELDS:
                return Fault(name, f"{name} is a field of mails and changes how the rest is read")
            fields += 1
            sizes[name] = 0
        if not fields:
            continue
        sizes[name] += len(line)
        if sizes[name] > MAX_VALUE and name not in FREE_TEXTS:
            rule = f"{name[:80]} has more than {MAX_VALUE} characters; that is the limit"
            return Fault(name[:80], rule, "metadata.long_field")
        if fields > MAX_FIELDS or len(sizes) > MAX_NAMES:
            rule = f"more than {MAX_FIELDS} fields or {MAX_NAMES} kinds of them; that is the limit"
            return _file_fault("metadata.too_many_fields", rule)
    return None


def _bad_line(text: str) -> Fault | None:
    """The first line of the headers that readers could split or join in two ways."""
    for number, name, line in header_lines.headers(text):
        rule = header_lines.fault(line.replace("\f", " ") if name in FREE_TEXTS else line)
        if not rule and line.startswith((" ", "\t")) and name not in FOLDED:
            rule = "continues the line before; only texts may have more lines than one"
        if rule:
            subject = f"line {number}, {line[:80]!r}, {rule}"
            return Fault(name[:80] or "metadata", subject, "metadata.bad_line")
    return None


def _file_fault(code: str, message: str) -> Fault:
    return Fault("metadata", message, code)


def _unparsed(unparsed: dict[str, list[str]]) -> Iterator[Fault]:
    """Fields of the specification that are repeated or cannot be parsed; others are ignored."""
    field_names = set(RawMetadata.__annotations__)
    for name, values in sorted(unparsed.items()):
        key = name.replace("-", "_")
        if key in field_names or f"{key}s" in field_names:
            values_text = ", ".join(repr(str(v)[:80]) for v in values[:3])
            if len(values) > 1 and key in field_names:
                yield Fault(name, f"{name} is repeated: {values_text}", "metadata.repeated_field")
            else:
                yield Fault(name, f"{name} cannot be read: {values_text}", _code(name))


def _invalid(fields: RawMetadata) -> Iterator[Fault]:
    # Builders wrote License-File years before the version of METADATA that has it.
    judged = fields.copy()
    judged.pop("license_files", None)
    try:
        Strict.from_raw(judged, validate=True)
    except ExceptionGroup as group:
        for error in group.exceptions:
            name = error.field if isinstance(error, InvalidMetadata) else "metadata"
            cause = f" ({error.__cause__})" if error.__cause__ else ""
            yield Fault(name, f"{error}{cause}"[:500], _code(name))
    except (MemoryError, RecursionError, ValueError) as error:
        # Thousands of digits or brackets, which the parsers of single fields give up on.
        yield _file_fault("metadata.unreadable", f"a field is beyond reading: {error}"[:500])


def _code(name: str) -> str:
    return FIELD_CODES.get(name, "metadata.bad_field")


def _tags(keywords: list[str]) -> tuple[str, ...]:
    words = (word.strip().lower() for word in keywords)
    return tuple(dict.fromkeys(word for word in words if 0 < len(word) <= MAX_TAG))[:MAX_TAGS]


def _license(fields: RawMetadata) -> str:
    if expression := fields.get("license_expression", ""):
        return expression[:200]
    if lines := fields.get("license", "").strip().splitlines():
        return lines[0].strip()[:200]
    licenses = [c for c in fields.get("classifiers", []) if c.startswith(CLASSIFIED_LICENSE)]
    return licenses[0].rpartition(" :: ")[2][:200] if licenses else ""


def _authors(fields: RawMetadata) -> str:
    names = (fields.get("author", ""), fields.get("author_email", ""))
    return ", ".join(part.strip() for part in names if part.strip())[:400]


def _links(fields: RawMetadata) -> dict[str, str]:
    home = fields.get("home_page", "")
    return ({"Homepage": home} if home not in ("", "UNKNOWN") else {}) | fields.get(
        "project_urls", {}
    )
