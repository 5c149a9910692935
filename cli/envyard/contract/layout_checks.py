"""Static checks of what a wheel installs: its own modules and its .dist-info, and nothing else.

A member at the top level is installed into site-packages itself, where Python, installers and other
programs look for files by name. So only listed kinds may be there, and the rest is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from envyard.contract import commands, import_names, names
from envyard.contract.findings import Finding, finding
from envyard.contract.wheel import Wheel

DOCUMENTS = [
    "METADATA",
    "WHEEL",
    "RECORD",
    "entry_points.txt",
    "top_level.txt",
    "namespace_packages.txt",
    "zip-safe",
    "dependency_links.txt",
    "eager_resources.txt",
    "not-zip-safe",
    "scm_version.json",
    "scm_file_list.json",
    "pbr.json",
    "metadata.json",
    "DESCRIPTION.rst",
    "REUSE.toml",
]
SPELLED = {document.lower(): document for document in DOCUMENTS}
FOLDERS = ("licenses/", "license_files/", "LICENSES/", "sboms/")
LICENSE = re.compile(
    r"(un)?licen[cs]e|copying|copyright|notice|authors|contributors|patents|credits|thanks",
    re.IGNORECASE,
)
SIGNATURES = {"record.jws", "record.p7s"}
INSTALLERS = {
    "installer", "requested", "direct_url.json", "provenance_url.json", "uv_cache.json",
    "uv_build.json", "origin.json", "conda_meta.json",
}  # fmt: skip
# Endings of files that mark or hold another distribution: pip and importlib.metadata read them.
DISTRIBUTIONS = (".dist-info", ".egg-info", ".egg-link", ".egg")
STARTUP_ENDINGS = (".pth", ".start")
PRIME = ".prime"  # what the stock prime command keeps beside an environment
STUBS = "-stubs"
MODULE = re.compile(r"\.(py|pyi)$")
# Files that no program executes; other data files belong inside the package.
DATA = re.compile(
    r"""
    (.*\.(md|rst|txt|toml|ya?ml|json|jsonl|ndjson|csv|tsv|parquet|arrow|xml|html|ini|lock|sh
        |jinja2?|j2|png|jpe?g|svg|gif|ipynb|gz|zip|npz|npy|sql|sqlite|db|tex|bib|cff|example))
    | (LICEN[CS]E|COPYING|NOTICE|README|CHANGELOG|AUTHORS|Makefile|Dockerfile
        |setup\.cfg|MANIFEST\.in|py\.typed)[^/]*
    | \.(gitignore|gitattributes|gitkeep|env\.example|python-version|dockerignore|editorconfig)
    """,
    re.VERBOSE | re.IGNORECASE,
)


def dist_info_members(whl: Wheel) -> Iterator[Finding]:
    """.dist-info holds what build back-ends write there, in their spelling."""
    for member in whl.files if whl.dist_info else ():
        inner = member.name.removeprefix(f"{whl.dist_info}/")
        if inner == member.name or inner in DOCUMENTS or inner.startswith(FOLDERS):
            continue
        plain = unicodedata.normalize("NFKC", inner).casefold()
        if plain in SIGNATURES:
            code, rule = (
                "wheel.signature_file",
                "is a signature that no installer checks; none may be shipped",
            )
        elif plain in INSTALLERS:
            code, rule = "wheel.installer_file", "records an installation; only installers write it"
        elif plain in SPELLED:
            code, rule = "wheel.dist_info_member", f"must be written {SPELLED[plain]!r}"
        elif LICENSE.match(inner) or inner in whl.metadata.license_files:
            continue
        else:
            code, rule = "wheel.dist_info_member", "is no file of the specification nor a licence"
        yield finding(code, f"member {member.name!r} {rule}", where=member.name)


def top_level_file(whl: Wheel) -> Iterator[Finding]:
    """top_level.txt names modules of this wheel alone: frameworks look up libraries by it."""
    tops = {member.name.partition("/")[0].partition(".")[0] for member in whl.files}
    for line in (whl.top_level or "").split():
        if line.partition("/")[0] not in tops:
            yield finding(
                "wheel.top_level_file",
                f"'{whl.dist_info}/top_level.txt' names {line[:100]!r}, which is no module of "
                "this wheel",
                where=f"{whl.dist_info}/top_level.txt",
            )


def top_level(whl: Wheel) -> Iterator[Finding]:
    """At the top level are modules, packages, plain data files and .dist-info."""
    own_module = names.module_name(whl.name) if whl.name else ""
    tops = {member.name.partition("/")[0] for member in whl.members}
    folders = {member.name.partition("/")[0] for member in whl.members if "/" in member.name}
    for top in sorted(tops):
        if top != whl.dist_info:
            yield from _folder(top, own_module) if top in folders else _file(top, own_module)


def _folder(top: str, own_module: str) -> Iterator[Finding]:
    plain = unicodedata.normalize("NFKC", top).casefold()
    if plain.endswith(".dist-info"):
        return  # dist_info_checks.folder
    if plain.endswith(".data"):
        yield finding(
            "wheel.data_member",
            f"folder {top!r} would install files outside the environment's modules",
            where=top,
        )
    elif plain.endswith(DISTRIBUTIONS):
        yield _distribution(top)
    elif top == PRIME:
        yield _shared(top)
    elif not _importable(top.removesuffix(STUBS)) or plain in import_names.RESERVED:
        yield finding(
            "wheel.stray_member",
            f"top-level folder {top!r} is no package that Python can import; move it into one",
            where=top,
        )
    else:
        yield from _module(top, top.removesuffix(STUBS), own_module)


def _file(top: str, own_module: str) -> Iterator[Finding]:
    plain = unicodedata.normalize("NFKC", top).casefold()
    stem = top.partition(".")[0]
    if plain.endswith(STARTUP_ENDINGS):
        yield finding(
            "wheel.pth_member",
            f"member {top!r} would run code at every start of Python; none may",
            where=top,
        )
    elif plain.endswith(DISTRIBUTIONS):
        yield _distribution(top)
    elif MODULE.search(top) and _importable(MODULE.sub("", top)):
        yield from _module(top, stem, own_module)
    elif DATA.fullmatch(top) and not plain.endswith((".py", ".pyw", ".pyc")):
        yield _shared(top)
    else:
        yield from (item for item in _module(top, stem, own_module) if item.severity == "error")
        yield finding(
            "wheel.stray_member",
            f"top-level file {top!r} is neither a module (.py) nor a plain data file; "
            "move it into the package",
            where=top,
        )


def _module(top: str, name: str, own_module: str) -> Iterator[Finding]:
    """The module or package has no name that Python or a well-known library uses."""
    if import_names.runs_at_start(name):
        yield finding(
            "wheel.startup_module",
            f"top-level {top!r} would run at every start of Python, or in an installer; none may",
            where=name,
        )
    elif name in import_names.STDLIB:
        yield finding(
            "wheel.shadows_stdlib",
            f"top-level {top!r} takes the name of the module {name!r} of Python itself",
            where=name,
        )
    elif name != own_module and (
        name in import_names.LIBRARIES or name.lower() in import_names.LIBRARIES
    ):
        yield finding(
            "wheel.shadows_library",
            f"top-level {top!r} takes the name of the well-known library {name!r}",
            where=name,
        )
    elif name != own_module and name.lower() in import_names.SHARED:
        yield _shared(top)


def _importable(name: str) -> bool:
    """Whether `import NAME` finds a file of exactly that name."""
    return name.isidentifier() and unicodedata.normalize("NFKC", name) == name


def _distribution(top: str) -> Finding:
    return finding(
        "wheel.other_distribution",
        f"top-level {top!r} describes another distribution to installers; a wheel has its own "
        ".dist-info alone",
        where=top,
    )


def _shared(top: str) -> Finding:
    return finding(
        "wheel.shared_name",
        f"top-level {top!r} is a name that other wheels install too: the files of one replace "
        "those of the other",
        where=top,
    )


def data_scripts(whl: Wheel) -> Iterator[Finding]:
    """No file of a .data folder would replace a command."""
    for member in whl.files:
        parts = member.name.casefold().split("/")
        if len(parts) > 2 and parts[0].endswith(".data") and parts[1] == "scripts":
            command = commands.replaced_command(parts[-1])
            if command:
                yield finding(
                    "wheel.script_takes_command",
                    f"member {member.name!r} would replace the command {command!r}; that name is "
                    "taken",
                    where=member.name,
                )
