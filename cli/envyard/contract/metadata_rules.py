"""Static checks of METADATA's fields against each other, and of the texts that pages show."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from envyard.contract import hidden
from envyard.contract.findings import Finding, finding
from envyard.contract.metadata_checks import MAX_CHARACTERS
from envyard.contract.wheel import Wheel

WEB = ("https", "http")
# One-line fields that pages and commands show.
SHOWN = (
    "name", "version", "summary", "author", "author_email", "maintainer", "maintainer_email",
    "home_page", "download_url", "license_expression", "requires_python",
    "description_content_type",
)  # fmt: skip
SHOWN_LISTS = (
    "keywords", "classifiers", "platforms", "requires_dist", "provides_extra", "license_files",
    "requires_external", "import_names", "import_namespaces", "dynamic",
)  # fmt: skip
# Pythons that exist or will before long.
PYTHONS = tuple(Version(f"3.{minor}.{patch}") for minor in range(40) for patch in range(30))


def shown_text(whl: Wheel) -> Iterator[Finding]:
    """No field contains invisible characters or characters that reorder text."""
    for field, text in _shown(whl):
        if fault := hidden.line_fault(text.replace("\t", " ")):
            yield finding(
                "metadata.hidden_character",
                f"METADATA: {field} {text[:200]!a} holds {fault}; remove it",
                where=field,
            )
    for field, text in (("description", whl.metadata.description), ("license", _license(whl))):
        if fault := hidden.text_fault(text):
            yield finding(
                "metadata.hidden_character", f"METADATA: {field} holds {fault}; remove it",
                where=field,
            )  # fmt: skip


def _shown(whl: Wheel) -> Iterator[tuple[str, str]]:
    fields = whl.metadata.fields
    for name in SHOWN:
        value = fields.get(name)
        if isinstance(value, str):
            yield name.replace("_", "-"), " ".join(value.split("\n"))
    for name in SHOWN_LISTS:
        values = fields.get(name)
        for item in values if isinstance(values, list) else ():
            yield name.replace("_", "-"), " ".join(str(item).split("\n"))
    for label, url in whl.metadata.project_urls.items():
        yield "project-url", f"{label}, {url}"


def _license(whl: Wheel) -> str:
    return whl.metadata.fields.get("license", "")


def licences(whl: Wheel) -> Iterator[Finding]:
    """The licence is given once: as an expression, or in the older field."""
    fields = whl.metadata.fields
    if fields.get("license_expression") and fields.get("license"):
        yield finding(
            "metadata.two_licenses",
            f"METADATA: License {fields['license'][:80]!r} and License-Expression "
            f"{fields['license_expression'][:80]!r} are both set; only one of them may be",
            where="license",
        )


def extras(whl: Wheel) -> Iterator[Finding]:
    """No extra is repeated, in any spelling."""
    spellings: dict[str, str] = {}
    for extra in whl.metadata.fields.get("provides_extra", []):
        plain = canonicalize_name(extra)
        if plain in spellings:
            yield finding(
                "metadata.repeated_extra",
                f"METADATA: Provides-Extra {extra[:80]!r} repeats the extra "
                f"{spellings[plain][:80]!r}; each may be there once",
                where="provides-extra",
            )
        spellings.setdefault(plain, extra)


def import_names(whl: Wheel) -> Iterator[Finding]:
    """Each Import-Name is a module or package of the wheel, each Import-Namespace a folder."""
    fields = whl.metadata.fields
    declared = [
        *(("Import-Name", name) for name in fields.get("import_names") or []),
        *(("Import-Namespace", name) for name in fields.get("import_namespaces") or []),
    ]
    paths = {member.name for member in whl.files} if declared else set()
    folders = {path[:at] for path in paths for at, letter in enumerate(path) if letter == "/"}
    for field, text in declared:
        name = text.partition(";")[0].strip()
        path = name.replace(".", "/")
        if not name or path in folders or (field == "Import-Name" and f"{path}.py" in paths):
            continue
        yield finding(
            "metadata.import_name",
            f"METADATA: {field} {text[:200]!r} is no module or package of this wheel",
            where=field.lower(),
        )


def own_dependency(whl: Wheel) -> Iterator[Finding]:
    """A version depends on itself only to name other extras of its own."""
    for text in whl.metadata.requires_dist:
        try:
            requirement = Requirement(text)
        except (RecursionError, ValueError):
            continue
        if not whl.name or canonicalize_name(requirement.name) != whl.name:
            continue
        if not requirement.extras or not _admits(requirement.specifier, whl.version):
            yield finding(
                "metadata.self_dependency",
                f"METADATA: Requires-Dist {text[:200]!r} is the environment itself; it may "
                "only name extras of this version",
                where="requires-dist",
            )


def pythons(whl: Wheel) -> Iterator[Finding]:
    """Some Python 3 can run it."""
    text = whl.metadata.requires_python
    try:
        admitted = SpecifierSet(text)
    except (InvalidSpecifier, ValueError):
        return
    if "===" in text:
        yield finding(
            "metadata.bad_requires_python",
            f"METADATA: Requires-Python {text[:120]!r} compares by '===', which installers do not "
            "parse in the same way; use '=='",
            where="requires-python",
        )
    elif (
        text
        and len(text) <= MAX_CHARACTERS["requires_python"]
        and not any(_admits(admitted, version) for version in PYTHONS)
    ):
        yield finding(
            "metadata.bad_requires_python",
            f"METADATA: Requires-Python {text[:120]!r} admits no Python 3",
            where="requires-python",
        )


def _admits(specifier: SpecifierSet, version: str | Version) -> bool:
    try:
        return not version or specifier.contains(version, prereleases=True)
    except ValueError:
        return False


def links(whl: Wheel) -> Iterator[Finding]:
    """Links lead to pages of the web, not to scripts, files or nowhere."""
    urls = dict(whl.metadata.project_urls)
    if download := whl.metadata.fields.get("download_url", ""):
        urls["Download-URL"] = download if download != "UNKNOWN" else "https://example.com"
    for label, url in urls.items():
        if rule := _link_fault(url):
            yield finding(
                "metadata.bad_url",
                f"METADATA: link {label[:80]!r} is {url[:200]!r}; it must begin with https:// "
                f"and {rule}",
                where="project-url",
            )


def _link_fault(url: str) -> str:
    if any(character.isspace() or character in '\\"<>`' for character in url):
        return "hold no spaces, quotes, backslashes or angle brackets"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return "name a host and a port number"
    if parts.scheme.lower() not in WEB or not host.strip("."):
        return "name a host"
    return "contain no user name" if "@" in parts.netloc else ""
