"""Read what uv reports about dependencies it cannot resolve: shared by runner and command line."""

from __future__ import annotations

import re

from envyard.contract.codes import Finding, finding
from envyard.contract.failures.requirements import with_cause

NO_SOLUTION = 1  # uv's exit code; everything else that fails gives 2
URL_IN_DEPENDENCY = "URL dependencies must be expressed as direct requirements"
SDIST_ONLY = re.compile(r"Wheels are required for `([^`]+)` because building")
# What was left out for its date, of which the index told none.
UNDATED = re.compile(
    r"filtered by `exclude-newer`[^\n]*requirement is (?:(?!published at).)*\.( |$)"
)
# Said of a broken wheel, and of a whole one that was cut off on its way.
BROKEN = "has an invalid package format"
# The index, not the author, keeps it back.
CLOSED = "could not be queried due to a lack of valid authentication credentials"
SENTENCE = 700


def diagnose(code: int, said: str) -> Finding:
    """The finding for uv's exit code and words; what is not surely the author's fault is ours."""
    impossible = code == NO_SOLUTION and "No solution found" in said
    if not impossible and URL_IN_DEPENDENCY not in said:
        return finding("run.install_failed", _short(said) or f"uv ended with code {code}")
    if CLOSED in " ".join(said.split()) or BROKEN in " ".join(said.split()):
        return finding("run.install_failed", _short(said))
    if UNDATED.search(said):
        message = "the package index does not say when its files were uploaded (PEP 700)"
        return finding("run.install_failed", f"{message}: {_short(said)}")
    if named := SDIST_ONLY.search(said):
        message = f"{named[1]} has no wheel: {_short(said)}"
        return with_cause(finding("env.dependency_sdist_only", message, where=named[1]), said)
    return with_cause(finding("env.dependencies_unresolvable", _short(said)), said)


def _short(said: str) -> str:
    """uv's reason on one line, without what it advises to those who call it themselves."""
    reason = re.sub(r"(?m)^ *(error|cause|hint): |No solution found when .*$", "", said)
    reason = re.sub(r"Consider using `[^`]+` to [^.]*\.", "", reason)
    words = " ".join(reason.split())
    return words if len(words) <= SENTENCE else f"{words[:SENTENCE].rsplit(' ', 1)[0]} ..."
