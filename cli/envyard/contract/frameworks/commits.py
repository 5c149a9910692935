"""Which release of a framework contains a commit that a direct reference names.

`tools/framework_commits.py` writes the data from the tags of the framework's repository.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from envyard.contract.frameworks.adapters import RUNS_WITH
from envyard.contract.frameworks.table import table
from envyard.contract.git_requirements import GitRequirement

DIGITS = 10  # of a commit's id; two of some thousand commits have the same with odds of 1 in 10^5
# The framework's own repository; a fork has commits of its own.
REPOSITORIES = {"github.com/primeintellect-ai/verifiers": "verifiers"}
GIT = re.compile(
    r"git\+(?:https|ssh)://(?:[^@/]*@)?([^@#?]{1,200}?)(?:\.git)?(?:@([^#]{1,200}))?(?:#.*)?"
)
COMMIT = re.compile(r"[0-9a-f]{7,40}")


def advice(requirement: Requirement) -> str:
    """What to write instead of a requirement by URL; empty where only a version can be named."""
    match = GIT.fullmatch(requirement.url or "")
    framework = REPOSITORIES.get(match[1].lower()) if match else None
    if match is None or framework is None or canonicalize_name(requirement.name) != framework:
        return ""
    revision = match[2] or ""
    release = first_release(framework, revision)
    if release:
        kind = "commit" if COMMIT.fullmatch(revision) else "tag"
        return f"{framework} {release} is the first release with that {kind}. {RUNS_WITH}"
    if COMMIT.fullmatch(revision):
        return f"no release of {framework} that this hub knows has that commit. {RUNS_WITH}"
    return RUNS_WITH


def release_with(git: GitRequirement) -> str:
    """The first release with the revision of a requirement on a framework's own repository; empty
    where none is known, as for a fork."""
    address = git.repository.removeprefix("https://").lower()
    framework = REPOSITORIES.get(address)
    return first_release(framework, git.revision) if framework == git.name else ""


def first_release(framework: str, revision: str) -> str:
    """The first release that contains a commit, or that a tag names; empty where none is known."""
    if COMMIT.fullmatch(revision):
        matching = {
            release
            for commit, release in _releases(framework).items()
            if commit.startswith(revision[:DIGITS])
        }
        return matching.pop() if len(matching) == 1 else ""
    try:
        version = Version(revision.removeprefix("v"))
    except InvalidVersion:
        return ""
    known = any(release.version == version for release in table(framework).releases)
    return str(version) if known else ""


def path_of(framework: str) -> Path:
    """The committed file of the framework's commits."""
    return Path(__file__).with_name(f"{framework}_commits.json")


@cache
def _releases(framework: str) -> dict[str, str]:
    """The first release by the beginning of each commit's id."""
    path = path_of(framework)
    data = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"releases": {}}
    return {
        commit: release
        for release, commits in data["releases"].items()
        for commit in commits.split(" ")
    }
