"""Writes which release of a framework first contained each commit of its repository.

    git clone --bare --filter=tree:0 https://github.com/PrimeIntellect-ai/verifiers verifiers.git
    python -m tools.framework_commits verifiers verifiers.git

Run it after `python -m tools.framework_releases`, and commit the JSON file that it writes below
cli/envyard/contract/frameworks/. Tags count that are named like a release of the framework's table.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from packaging.version import InvalidVersion, Version

from envyard.contract.frameworks.commits import DIGITS, path_of
from envyard.contract.frameworks.table import table


def main(arguments: Sequence[str]) -> int:
    """Write the file of the framework named first from the git directory named second."""
    framework, repository = arguments
    git = Path(repository)
    known = {release.version for release in table(framework).releases}
    tags = sorted((v, tag) for tag in _git(git, "tag") if (v := _version(tag)) in known)
    releases: dict[str, str] = {}
    earlier: list[str] = []
    for version, tag in tags:
        commits = _git(git, "rev-list", tag, *(f"^{name}" for name in earlier))
        releases[str(version)] = " ".join(sorted(commit[:DIGITS] for commit in commits))
        earlier.append(tag)
    path = path_of(framework)
    path.write_text(json.dumps({"releases": releases}, indent=0) + "\n", encoding="utf-8")
    sys.stderr.write(f"{path}: {len(releases)} releases, {path.stat().st_size} bytes\n")
    return 0


def _version(tag: str) -> Version | None:
    try:
        return Version(tag.removeprefix("v"))
    except InvalidVersion:
        return None


def _git(repository: Path, *arguments: str) -> list[str]:
    command = ["git", "-c", "safe.directory=*", f"--git-dir={repository}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
