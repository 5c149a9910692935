"""Causes in what uv reports of dependencies that it cannot resolve, each with a next step."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from envyard.contract.failures.registry import Explanation
from envyard.contract.findings import Finding
from envyard.contract.frameworks.adapters import FRAMEWORKS, RUNS_WITH

EXPLAINED = ("env.dependency_sdist_only", "env.dependencies_unresolvable")
NAME = r"[A-Za-z0-9][\w.-]{0,100}"


@dataclass(frozen=True, slots=True)
class RequirementCause:
    """One entry: `shows` finds the distribution in uv's text, `hint` is the next step."""

    name: str
    shows: re.Pattern[str]
    message: str
    hint: str


# The most specific first: uv explains in one text all that it tried.
REQUIREMENT_CAUSES = (
    RequirementCause(
        "no_matching_wheel",
        re.compile(
            rf"({NAME})(?:[<>=!~][^\s,]*)? has no wheels with a matching (?:Python|platform)"
        ),
        "{0} has wheels, but none for the runner's Python and platform.",
        "Depend on a release with such a wheel; pure Python wheels (py3-none-any) fit everywhere.",
    ),
    RequirementCause(
        "sdist_only",
        re.compile(rf"Wheels are required for `({NAME})` because building"),
        "{0} has no wheel on the index that could be installed.",
        "Only wheels are installed: building a source distribution would run its code. Depend on a "
        "release of it that has wheels, on something else, or ship its modules in your wheel.",
    ),
    RequirementCause(
        "not_on_index",
        re.compile(rf"({NAME}) was not found in the (?:package registry|provided package)"),
        "{0} was not found on the index that the runner uses.",
        "Check the spelling: names of distributions and of modules differ. If it is yours, publish "
        "it first, or ship its modules in your wheel.",
    ),
    RequirementCause(
        "framework_bound",
        re.compile(rf"\b({'|'.join(FRAMEWORKS)})[<>=!~].*\b\1[<>=!~]"),
        "The bounds on {0} exclude the releases that the runner can drive.",
        f"{RUNS_WITH}: loosen your own bound, or that of the dependency which sets it.",
    ),
    RequirementCause(
        "python",
        re.compile(r"(?:requires|depends on|does not satisfy) (Python ?[<>=!~][^\s,]*)"),
        "A dependency needs {0}, which the runner's Python is not.",
        "Loosen the bound of that dependency, so that a release for the runner's Python fits.",
    ),
    RequirementCause(
        "prerelease",
        re.compile(rf"[Pp]re-releases are available for `?({NAME})`?"),
        "Only pre-releases of {0} fit.",
        "Name the pre-release in the requirement, as in `name>=1.0rc1`.",
    ),
    RequirementCause(
        "no_such_release",
        re.compile(rf"(?:there is no version of|only) ({NAME})(?:[<>=!~]|\[)"),
        "The index has no release of {0} that fits.",
        "Correct or loosen the requirement; releases that were published after the version's "
        "upload do not count.",
    ),
)


def explain_resolution(reported: str) -> Explanation | None:
    """The most specific cause in uv's text, None where none is known."""
    words = " ".join(reported[:20_000].split())
    for cause in REQUIREMENT_CAUSES:
        if match := cause.shows.search(words):
            return Explanation(cause.name, cause.message.format(match[1]), cause.hint)
    return None


def with_cause(finding: Finding, reported: str) -> Finding:
    """The finding of a failed resolution, with the cause that uv's text shows and its next step."""
    cause = explain_resolution(reported) if finding.code in EXPLAINED else None
    if cause is None:
        return finding
    message = finding.message
    if finding.code == "env.dependencies_unresolvable":
        message = f"{cause.message} {message}"
    details = finding.details | {"cause": cause.cause}
    return replace(finding, message=message, hint=cause.hint, details=details)
