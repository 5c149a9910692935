"""What a publisher of each kind asks of an identity token, and what is kept of the answer.

Sources: GitHub's and GitLab's descriptions of their tokens' claims. `repository` and
`job_workflow_ref` are checked rather than `sub`, whose form organisations may change. The owner's
numeric id is pinned by the first use where it was not given: a name that another account takes
over later does not match.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from registry.errors import HubError
from registry.publishers.models import TrustedPublisher

Claims = Mapping[str, Any]
Kind = TrustedPublisher.Kind
GITHUB = "https://token.actions.githubusercontent.com"
PINS = {Kind.GITHUB: "repository_owner_id", Kind.GITLAB: "namespace_id", Kind.OTHER: ""}
REPOSITORY = {
    Kind.GITHUB: re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}"),
    Kind.GITLAB: re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)+"),
}
WORKFLOW = {
    Kind.GITHUB: (re.compile(r"[A-Za-z0-9._ -]+\.ya?ml"), "a file name such as publish.yml"),
    Kind.GITLAB: (re.compile(r"[A-Za-z0-9._/ -]+\.ya?ml"), "a path such as .gitlab-ci.yml"),
}
KNOWN_FIELDS = ("repository", "workflow", "ci_environment", "owner_id", "sub")
LONGEST = 255
MOST_CLAIMS = 2000  # characters of JSON: they are part of an index, whose rows have an end


def wanted(kind: str, fields: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Subject and claims of a publisher, from what a person typed; raises 400 naming the field.

    `fields` holds repository, workflow, ci_environment and owner_id, or sub and any claim besides.
    """
    said = {name: value.strip() for name, value in fields.items() if value.strip()}
    for name, value in fields.items():
        if not (value.isprintable() and name.isprintable()):
            where = name if name in KNOWN_FIELDS else "claims"
            raise _wrong(where, value, "may hold no line breaks or invisible characters")
    for name, value in said.items():
        if len(value) > LONGEST:
            raise _wrong(name, value, f"may have at most {LONGEST} characters")
    if kind == Kind.OTHER:
        if "sub" not in said:
            raise _wrong("sub", "", "must be the token's subject")
        if (size := len(json.dumps(said))) > MOST_CLAIMS:
            raise _wrong("claims", "", f"may take {MOST_CLAIMS} characters of JSON, not {size}")
        return said["sub"], dict(sorted(said.items()))
    forge = Kind(kind)
    repository, workflow = said.get("repository", ""), said.get("workflow", "")
    pattern, rule = WORKFLOW[forge]
    if not REPOSITORY[forge].fullmatch(repository):
        raise _wrong("repository", repository, "must be owner/name as in its address")
    if not pattern.fullmatch(workflow):
        raise _wrong("workflow", workflow, f"must be {rule}")
    owner_id = said.get("owner_id", "")
    if owner_id and not owner_id.isdecimal():
        raise _wrong("owner_id", owner_id, "must be a number")
    claims = {
        "ci_environment": said.get("ci_environment", ""),
        "owner_id": owner_id,
        "repository": repository,
        "workflow": workflow,
    }
    return repository.lower(), claims


def subject(kind: str, said: Claims) -> str:
    """What publishers for this token are looked up by."""
    name = {Kind.GITHUB: "repository", Kind.GITLAB: "project_path", Kind.OTHER: "sub"}[Kind(kind)]
    value = _text(said, name)
    return value if kind == Kind.OTHER else value.lower()


def matches(publisher: TrustedPublisher, said: Claims) -> bool:
    """Does the token come from this publisher?"""
    asked = publisher.claims
    if publisher.kind == Kind.OTHER:
        return all(said.get(name) == value for name, value in asked.items())
    environment, owner_id = asked["ci_environment"], asked["owner_id"]
    return (
        publisher.subject == subject(publisher.kind, said)
        and _workflow(publisher, said)
        and (not environment or _alike(environment, _text(said, "environment")))
        and (not owner_id or owner_id == _text(said, PINS[Kind(publisher.kind)]))
    )


def _alike(name: str, said: str) -> bool:
    """The same but for case, as forges compare; a letter that only becomes another one in lower
    case (the Kelvin sign) would name an environment without its approvals."""
    return name == said or (said.isascii() and name.lower() == said.lower())


def _workflow(publisher: TrustedPublisher, said: Claims) -> bool:
    """The definition that runs is that file of that very repository, at the ref or commit it says:
    a workflow that another repository lends does not count."""
    ran, folder, refs = _definition(publisher.kind, publisher.issuer, said)
    where = folder + publisher.claims["workflow"]
    return ran in {f"{where}@{ref}" for name in refs if (ref := _text(said, name))}


def _definition(kind: str, issuer: str, said: Claims) -> tuple[str, str, tuple[str, str]]:
    """What runs, the folder where it must lie, and the claims that may say at which state."""
    if kind == Kind.GITHUB:
        folder = f"{_text(said, 'repository')}/.github/workflows/"
        return _text(said, "job_workflow_ref"), folder, ("ref", "sha")
    folder = f"{urlsplit(issuer).netloc}/{_text(said, 'project_path')}//"
    return _text(said, "ci_config_ref_uri"), folder, ("ref_path", "sha")


def key(kind: str, subject: str, claims: Claims) -> str:
    """What a publisher is found by: all that must match, of any other issuer the subject."""
    if kind == Kind.OTHER:
        return _digest(subject)
    environment = claims["ci_environment"].lower()
    return _digest(subject, claims["workflow"], environment, claims["owner_id"])


def keys(kind: str, issuer: str, said: Claims) -> list[str]:
    """Those of the publishers that may match the token: first where the account is pinned, as
    those are that were used before."""
    about = subject(kind, said)
    if kind == Kind.OTHER:
        return [_digest(about)]
    ran, folder, _ = _definition(kind, issuer, said)
    file = ran.partition("@")[0].removeprefix(folder)
    environment, owner_id = _text(said, "environment").lower(), _text(said, PINS[Kind(kind)])
    some = [_digest(about, file, e, o) for o in (owner_id, "") for e in (environment, "")]
    return list(dict.fromkeys(some))


def _digest(*words: str) -> str:
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()


def pinned(publisher: TrustedPublisher, said: Claims) -> dict[str, str]:
    """The claims with the owner's id of this first use, where none was known."""
    claims: dict[str, str] = publisher.claims
    if publisher.kind == Kind.OTHER or claims["owner_id"]:
        return claims
    return claims | {"owner_id": _text(said, PINS[Kind(publisher.kind)])}


def published_with(publisher: TrustedPublisher, said: Claims) -> dict[str, str]:
    """What versions keep of the identity that uploaded them; all of it is shown to everybody."""
    kept = {"kind": publisher.kind, "issuer": publisher.issuer}
    if publisher.kind == Kind.OTHER:
        return kept | {"subject": publisher.subject}
    server = forge(publisher.issuer)
    github = publisher.kind == Kind.GITHUB
    repository = _text(said, "repository" if github else "project_path")
    run = f"actions/runs/{_text(said, 'run_id')}" if github else f"-/jobs/{_text(said, 'job_id')}"
    return kept | {
        "server": server,
        "repository": repository,
        "workflow": publisher.claims["workflow"],
        "ci_environment": _text(said, "environment"),
        "ref": _text(said, "ref"),
        "sha": _text(said, "sha"),
        "run": f"{server}/{repository}/{run}",
    }


def forge(issuer: str) -> str:
    """The address of the forge whose issuer this is; only the public GitHub has another host."""
    parts = urlsplit(issuer)
    return "https://github.com" if issuer == GITHUB else f"{parts.scheme}://{parts.netloc}"


def _text(said: Claims, name: str) -> str:
    """The claim as a text, cut; numbers come as texts from some versions of GitLab only."""
    value = said.get(name)
    return str(value)[:LONGEST] if isinstance(value, str | int) else ""


def _wrong(field: str, value: str, rule: str) -> HubError:
    shown = repr(value)[:80]
    return HubError("request.invalid", f"{field} {shown} {rule}", details={"field": field})
