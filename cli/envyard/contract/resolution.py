"""Read what uv reports about dependencies it cannot resolve: shared by runner and command line."""

from __future__ import annotations

import re

from envyard.contract.failures.requirements import with_cause
from envyard.contract.findings import Finding, finding

NO_SOLUTION = 1  # uv's exit code; everything else that fails gives 2
URL_IN_DEPENDENCY = "URL dependencies must be expressed as direct requirements"
SDIST_ONLY = re.compile(r"Wheels are required for `([^`]+)` because building")
# What was left out for its date, of which the index gave none.
UNDATED = re.compile(
    r"filtered by `exclude-newer`[^\n]*requirement is (?:(?!published at).)*\.( |$)"
)
# Reported of a broken wheel, and of a whole one that was cut off on its way.
BROKEN = "has an invalid package format"
# The index, not the author, keeps it back.
CLOSED = "could not be queried due to a lack of valid authentication credentials"
SENTENCE = 700


def diagnose(code: int, reported: str) -> Finding:
    """The finding for uv's exit code and output; without evidence the fault is the platform's."""
    impossible = code == NO_SOLUTION and "No solution found" in reported
    if not impossible and URL_IN_DEPENDENCY not in reported:
        return finding("run.install_failed", _short(reported) or f"uv ended with code {code}")
    if CLOSED in " ".join(reported.split()) or BROKEN in " ".join(reported.split()):
        return finding("run.install_failed", _short(reported))
    if UNDATED.search(reported):
        message = "the package index does not say when its files were uploaded (PEP 700)"
        return finding("run.install_failed", f"{message}: {_short(reported)}")
    if match := SDIST_ONLY.search(reported):
        message = f"{match[1]} has no wheel: {_short(reported)}"
        return with_cause(finding("env.dependency_sdist_only", message, where=match[1]), reported)
    return with_cause(finding("env.dependencies_unresolvable", _short(reported)), reported)


def _short(reported: str) -> str:
    """uv's reason on one line, without its advice to people who run uv themselves."""
    reason = re.sub(r"(?m)^ *(error|cause|hint): |No solution found when .*$", "", reported)
    reason = re.sub(r"Consider using `[^`]+` to [^.]*\.", "", reason)
    words = " ".join(reason.split())
    return words if len(words) <= SENTENCE else f"{words[:SENTENCE].rsplit(' ', 1)[0]} ..."
