"""Match identity tokens with trusted publishers of each kind, and derive what versions store.

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
MAX_CHARACTERS = 255
MAX_CLAIMS = 2000  # characters of JSON: they are part of an index, whose rows are limited


def expected_claims(kind: str, fields: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Subject and claims of a publisher, from the fields of a form; raises 400 naming the field.

    `fields` holds repository, workflow, ci_environment and owner_id, or sub and any claim besides.
    """
    values = {name: value.strip() for name, value in fields.items() if value.strip()}
    for name, value in fields.items():
        if not (value.isprintable() and name.isprintable()):
            field = name if name in KNOWN_FIELDS else "claims"
            raise _invalid(field, value, "may hold no line breaks or invisible characters")
    for name, value in values.items():
        if len(value) > MAX_CHARACTERS:
            raise _invalid(name, value, f"may have at most {MAX_CHARACTERS} characters")
    if kind == Kind.OTHER:
        if "sub" not in values:
            raise _invalid("sub", "", "must be the token's subject")
        if (size := len(json.dumps(values))) > MAX_CLAIMS:
            raise _invalid("claims", "", f"may take {MAX_CLAIMS} characters of JSON, not {size}")
        return values["sub"], dict(sorted(values.items()))
    forge = Kind(kind)
    repository, workflow = values.get("repository", ""), values.get("workflow", "")
    pattern, rule = WORKFLOW[forge]
    if not REPOSITORY[forge].fullmatch(repository):
        raise _invalid("repository", repository, "must be owner/name as in its address")
    if not pattern.fullmatch(workflow):
        raise _invalid("workflow", workflow, f"must be {rule}")
    owner_id = values.get("owner_id", "")
    if owner_id and not owner_id.isdecimal():
        raise _invalid("owner_id", owner_id, "must be a number")
    claims = {
        "ci_environment": values.get("ci_environment", ""),
        "owner_id": owner_id,
        "repository": repository,
        "workflow": workflow,
    }
    return repository.lower(), claims


def subject(kind: str, claims: Claims) -> str:
    """The subject by which publishers for this token are looked up."""
    name = {Kind.GITHUB: "repository", Kind.GITLAB: "project_path", Kind.OTHER: "sub"}[Kind(kind)]
    value = _text(claims, name)
    return value if kind == Kind.OTHER else value.lower()


def matches(publisher: TrustedPublisher, token_claims: Claims) -> bool:
    """Does the token come from this publisher?"""
    expected = publisher.claims
    if publisher.kind == Kind.OTHER:
        return all(token_claims.get(name) == value for name, value in expected.items())
    environment, owner_id = expected["ci_environment"], expected["owner_id"]
    return (
        publisher.subject == subject(publisher.kind, token_claims)
        and _workflow(publisher, token_claims)
        and (
            not environment or _equal_ignoring_case(environment, _text(token_claims, "environment"))
        )
        and (not owner_id or owner_id == _text(token_claims, PINS[Kind(publisher.kind)]))
    )


def _equal_ignoring_case(name: str, text: str) -> bool:
    """Equal without regard to ASCII case, as forges compare; another letter with the same lower
    case (the Kelvin sign) would match an environment without its approvals."""
    return name == text or (text.isascii() and name.lower() == text.lower())


def _workflow(publisher: TrustedPublisher, claims: Claims) -> bool:
    """The workflow definition is that file of that repository, at the ref or commit of the token: a
    reusable workflow of another repository does not match."""
    ran, folder, refs = _definition(publisher.kind, publisher.issuer, claims)
    path = folder + publisher.claims["workflow"]
    return ran in {f"{path}@{ref}" for name in refs if (ref := _text(claims, name))}


def _definition(kind: str, issuer: str, claims: Claims) -> tuple[str, str, tuple[str, str]]:
    """The workflow definition, its required folder, and the claims that may name its state."""
    if kind == Kind.GITHUB:
        folder = f"{_text(claims, 'repository')}/.github/workflows/"
        return _text(claims, "job_workflow_ref"), folder, ("ref", "sha")
    folder = f"{urlsplit(issuer).netloc}/{_text(claims, 'project_path')}//"
    return _text(claims, "ci_config_ref_uri"), folder, ("ref_path", "sha")


def key(kind: str, subject: str, claims: Claims) -> str:
    """The lookup key of a publisher: a digest of all that must match, for other issuers the
    subject."""
    if kind == Kind.OTHER:
        return _digest(subject)
    environment = claims["ci_environment"].lower()
    return _digest(subject, claims["workflow"], environment, claims["owner_id"])


def keys(kind: str, issuer: str, claims: Claims) -> list[str]:
    """The lookup keys of publishers that may match the token; first those with a pinned account,
    which were used before."""
    name = subject(kind, claims)
    if kind == Kind.OTHER:
        return [_digest(name)]
    ran, folder, _ = _definition(kind, issuer, claims)
    file = ran.partition("@")[0].removeprefix(folder)
    environment, owner_id = _text(claims, "environment").lower(), _text(claims, PINS[Kind(kind)])
    digests = [_digest(name, file, e, o) for o in (owner_id, "") for e in (environment, "")]
    return list(dict.fromkeys(digests))


def _digest(*words: str) -> str:
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()


def pinned(publisher: TrustedPublisher, token_claims: Claims) -> dict[str, str]:
    """The claims with the owner's id of this first use, where none was known."""
    claims: dict[str, str] = publisher.claims
    if publisher.kind == Kind.OTHER or claims["owner_id"]:
        return claims
    return claims | {"owner_id": _text(token_claims, PINS[Kind(publisher.kind)])}


def published_with(publisher: TrustedPublisher, claims: Claims) -> dict[str, str]:
    """The identity that versions store of their upload; all of it is public."""
    fields = {"kind": publisher.kind, "issuer": publisher.issuer}
    if publisher.kind == Kind.OTHER:
        return fields | {"subject": publisher.subject}
    server = forge(publisher.issuer)
    github = publisher.kind == Kind.GITHUB
    repository = _text(claims, "repository" if github else "project_path")
    run = (
        f"actions/runs/{_text(claims, 'run_id')}" if github else f"-/jobs/{_text(claims, 'job_id')}"
    )
    return fields | {
        "server": server,
        "repository": repository,
        "workflow": publisher.claims["workflow"],
        "ci_environment": _text(claims, "environment"),
        "ref": _text(claims, "ref"),
        "sha": _text(claims, "sha"),
        "run": f"{server}/{repository}/{run}",
    }


def forge(issuer: str) -> str:
    """The address of the forge of that issuer; only the public GitHub has another host."""
    parts = urlsplit(issuer)
    return "https://github.com" if issuer == GITHUB else f"{parts.scheme}://{parts.netloc}"


def _text(claims: Claims, name: str) -> str:
    """The claim as text, truncated; only some versions of GitLab send numbers as text."""
    value = claims.get(name)
    return str(value)[:MAX_CHARACTERS] if isinstance(value, str | int) else ""


def _invalid(field: str, value: str, rule: str) -> HubError:
    excerpt = repr(value)[:80]
    return HubError("request.invalid", f"{field} {excerpt} {rule}", details={"field": field})
