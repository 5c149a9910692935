"""Static checks of modules, data and programs among the members. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from envyard.contract.findings import Finding, finding
from envyard.contract.wheel import Wheel

COMPILED = re.compile(r"\.(pyd|dll|dylib|so(\.\d+)*)$", re.IGNORECASE)
BYTECODE = re.compile(r"^(?P<folder>.*/)?(?P<stem>[^/]+)\.py[co]$", re.IGNORECASE)
CACHE = "__pycache__/"


def compiled(whl: Wheel) -> Iterator[Finding]:
    """No member is compiled for one kind of machine."""
    for member in whl.files:
        if COMPILED.search(member.name):
            yield finding(
                "wheel.compiled_member",
                f"member {member.name!r} is compiled code; the wheel must run on every machine",
                where=member.name,
            )


def bytecode(whl: Wheel) -> Iterator[Finding]:
    """No member is compiled Python: it may do other things than the source that people read."""
    sources = {member.name for member in whl.files}
    for member in whl.files:
        match = BYTECODE.match(member.name)
        if match is None:
            continue
        folder = (match["folder"] or "").removesuffix(CACHE)
        stem = match["stem"].partition(".")[0] if CACHE in member.name else match["stem"]
        source = f"{folder}{stem}.py"
        if source in sources:
            yield finding(
                "wheel.bytecode",
                f"member {member.name!r} would run in place of {source!r}; ship the source alone",
                where=member.name,
            )
        else:
            yield finding(
                "wheel.pyc_without_source",
                f"member {member.name!r} is compiled from {source!r}, which is no member",
                where=member.name,
            )


def tokens(whl: Wheel) -> Iterator[Finding]:
    """No member holds a hub's token; only the public part of one is shown."""
    for member in whl.members:
        for leak in member.leaks:
            yield finding(
                "wheel.contains_token",
                f"member {member.name!r} holds the token {str(leak)!r}; no wheel may contain one",
                where=member.name,
                public_id=leak.public_id,
            )


def pickles(whl: Wheel) -> Iterator[Finding]:
    """A pickle that imports is shown; one that runs code or hides its imports is refused."""
    for member in whl.files:
        for verdict in member.pickles:
            imports_text = ", ".join(map(repr, list(verdict.imports)[:5]))[:400]
            if verdict.running:
                yield finding(
                    "wheel.pickle_runs_code",
                    f"{verdict.path!r} is a pickle that imports {verdict.running!r} when it is "
                    "loaded; data must not run code",
                    where=member.name,
                )
            elif verdict.unread:
                yield finding(
                    "wheel.pickle_unread",
                    f"{verdict.path!r} is a pickle that the hub cannot follow to its end",
                    where=member.name,
                )
            else:
                yield finding(
                    "wheel.pickle_imports",
                    f"{verdict.path!r} is a pickle that imports {imports_text} when it is loaded",
                    where=member.name,
                )


def sources(whl: Wheel) -> Iterator[Finding]:
    """Python source reads as it runs."""
    for member in whl.files:
        if member.source_fault:
            yield finding(
                "wheel.deceptive_source",
                f"member {member.name!r} {member.source_fault}",
                where=member.name,
            )


def modules_twice(whl: Wheel) -> Iterator[Finding]:
    """No module has the name of a package, which Python imports in its place."""
    paths = {member.name for member in whl.files}
    for path in sorted(paths):
        package = f"{path.removesuffix('.py')}/__init__.py"
        if path.endswith(".py") and package in paths:
            yield finding(
                "wheel.module_twice",
                f"member {path!r} is never imported: Python takes {package!r} in its place",
                where=path,
            )


def programs(whl: Wheel) -> Iterator[Finding]:
    """A program for one kind of machine is shown, since the wheel's tag is for all."""
    for member in whl.files:
        if member.program and not COMPILED.search(member.name):
            yield finding(
                "wheel.program_member",
                f"member {member.name!r} begins as a {member.program} program; other machines "
                "cannot run it",
                where=member.name,
            )
