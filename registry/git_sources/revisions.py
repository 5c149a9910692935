"""Resolve a branch, tag or commit of a repository by its history alone, without its files.

Only what a branch or tag of that repository leads to counts: hosts answer the id of a commit that
somebody pushed to a fork from the address of the repository that was forked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from registry.git_sources.git import Git, GitFailed

HISTORY = "--filter=tree:0"  # commits and tags; a server that has no filters sends all
REFS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
DEFAULT = "refs/default"
ABBREVIATED = re.compile(r"[0-9a-f]{7,40}")
COMMIT_DIGITS = 40


class NoRevision(Exception):
    """The repository has no such revision, or several; the message names it."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its id, its time in seconds since 1970 and in ISO 8601, and its description by the
    nearest tag (`v0.2.0-26-g284a868`), empty without tags."""

    id: str
    seconds: int
    date: str
    description: str


def resolve(git: Git, address: str, revision: str) -> Commit:
    """Fetch the history from `address` and resolve; raises GitFailed and NoRevision."""
    default = () if revision else (f"+HEAD:{DEFAULT}",)
    git.fetch(address, HISTORY, *REFS, *default)
    commits = set(git.run("rev-list", "--ignore-missing", "--all").read_text("ascii").split())
    candidates = _of_refs(git, revision or DEFAULT) if len(revision) < COMMIT_DIGITS else set()
    if ABBREVIATED.fullmatch(revision):
        candidates |= {commit for commit in commits if commit.startswith(revision)}
    candidates &= commits
    if len(candidates) == 1:
        return _described(git, candidates.pop())
    name = repr(revision) if revision else "HEAD"
    if candidates:
        raise NoRevision(f"{name} is ambiguous there: it names {len(candidates)} commits")
    raise NoRevision(f"{name} is no branch or tag there, and no commit of any branch or tag")


def _of_refs(git: Git, revision: str) -> set[str]:
    """The commits that a branch or tag of that name leads to."""
    names = {revision, f"refs/heads/{revision}", f"refs/tags/{revision}"}
    lines = git.run("for-each-ref", "--format=%(objectname) %(*objectname) %(refname)")
    rows = (line.split(" ") for line in lines.read_text("utf-8", "replace").splitlines())
    return {peeled or target for target, peeled, name in rows if name in names}


def _described(git: Git, commit: str) -> Commit:
    output = git.run("log", "-1", "--no-patch", "--format=%ct %cI", commit)
    shown = output.read_text("ascii").split()
    if len(shown) != 2 or not shown[0].isdecimal():
        raise NoRevision(f"the commit {commit[:12]} has no date that can be read")
    try:
        match = "--match=*[0-9]*"  # what setuptools-scm describes by
        described = git.run("describe", "--tags", "--long", match, commit)
        description = described.read_text("utf-8", "replace").strip()
    except GitFailed:
        description = ""
    return Commit(commit, int(shown[0]), shown[1], description)
