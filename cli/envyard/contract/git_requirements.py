"""Requirements of a git repository over https, and the repositories that a hub's operator allows.

The grammar is narrower than pip's and uv's: what it does not match is refused, so that no part of
an address becomes an option of git, another protocol or a path outside the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

SETTING = "HUB_GIT_REPOSITORIES"
ANY = "/*"
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
HOST = rf"{LABEL}(?:\.{LABEL})*(?::[0-9]{{1,5}})?"
PART = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}"
ADDRESS = re.compile(rf"https://({HOST})((?:/{PART})*)", re.IGNORECASE | re.ASCII)
REVISION = r"[A-Za-z0-9_](?:[A-Za-z0-9._+-]|/(?!/)){0,199}"
GIT = re.compile(
    rf"git\+(https://{HOST}(?:/{PART}){{2,8}})(?:@({REVISION}))?(?:#(.{{1,500}}))?",
    re.IGNORECASE | re.ASCII,  # otherwise `k` also matches the sign of kelvin
)
SUBDIRECTORY = re.compile(rf"{PART}(?:/{PART}){{0,15}}")
FRAGMENTS = ("subdirectory", "egg")


class BadRepository(ValueError):
    """The text names no repositories; the message has the rule."""


@dataclass(frozen=True, slots=True)
class GitRequirement:
    """A distribution in a git repository.

    `repository` is an https address without `.git`, `revision` a branch, tag or commit ("" for the
    default branch), `subdirectory` a relative path without `..`.
    """

    name: str
    repository: str
    revision: str
    subdirectory: str


def parse(requirement: Requirement) -> GitRequirement | None:
    """Read a direct reference; None for all but `git+https://HOST/PATH@REVISION#subdirectory=...`
    without user name, query or `..`."""
    match = GIT.fullmatch(requirement.url or "")
    if match is None:
        return None
    address, revision, fragment = match[1], match[2] or "", match[3] or ""
    fields = dict(part.partition("=")[::2] for part in fragment.split("&")) if fragment else {}
    subdirectory = fields.get("subdirectory", "")
    if not set(fields) <= set(FRAGMENTS) or ".." in address or ".." in revision:
        return None
    if subdirectory and (".." in subdirectory or not SUBDIRECTORY.fullmatch(subdirectory)):
        return None
    name = canonicalize_name(requirement.name)
    return GitRequirement(name, address.removesuffix(".git"), revision, subdirectory)


def git_requirements(lines: Iterable[str]) -> list[GitRequirement]:
    """Those of Requires-Dist lines, in their order; lines that cannot be read are left out."""
    rows = []
    for line in lines:
        try:
            row = parse(Requirement(line))
        except (ValueError, RecursionError):
            continue
        if row is not None:
            rows.append(row)
    return rows


@dataclass(frozen=True, slots=True)
class _Entry:
    """One allowed repository, or all below a path where `whole` is False; `mirror` is where they
    are fetched from."""

    address: str
    mirror: str
    whole: bool


@dataclass(frozen=True, slots=True)
class Repositories:
    """The repositories that an operator allows; none by default.

    An entry is `https://HOST/OWNER/NAME`, or `https://HOST/OWNER/*` for all below, and may be
    followed by `=` and the address of a mirror in the same form. A repository below `/*` is fetched
    with `.git` after its name, any other from the address as it is written.
    """

    entries: tuple[_Entry, ...] = ()
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Read the operator's entries; raises BadRepository."""
        texts = tuple(texts)
        return cls(tuple(map(_entry, texts)), texts)

    @property
    def addresses(self) -> list[str]:
        """The entries without their mirrors, which are nobody else's affair."""
        return [text.partition("=")[0] for text in self.texts]

    def source(self, repository: str) -> str | None:
        """The https address to fetch an allowed repository from; None for another one.

        Letter case does not count, as at public hosts; the operator's spelling is used."""
        sought = repository.casefold()
        for entry in self.entries:
            if entry.whole and sought == entry.address.casefold():
                return entry.mirror
            prefix = f"{entry.address}/".casefold()
            if not entry.whole and sought.startswith(prefix):
                return f"{entry.mirror}/{repository[len(prefix) :]}.git"
        return None


def _entry(text: str) -> _Entry:
    address, _, mirror = text.partition("=")
    whole = not address.endswith(ANY)
    if mirror and mirror.endswith(ANY) == whole:
        raise BadRepository(f"{text!r} must end in {ANY} on both sides of '=' or on neither")
    checked = _address(address, 2 if whole else 0)
    return _Entry(checked.removesuffix(".git"), _address(mirror or address, 0), whole)


def _address(text: str, min_parts: int) -> str:
    """The address without its `/*`; its path has at least `min_parts` parts."""
    plain = text.removesuffix(ANY)
    match = ADDRESS.fullmatch(plain)
    if match is None or ".." in plain or match[2].count("/") < min_parts:
        raise BadRepository(
            f"{text!r} must be https://HOST/OWNER/NAME or https://HOST/OWNER{ANY}, without user "
            "name, query or '..'"
        )
    return plain
