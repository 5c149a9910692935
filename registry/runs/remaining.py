"""What is still missing for a held version, and who provides it: one sentence for each step.

A finding has what the run lacked; owner, operator or staff may have provided a part of it since.
Names are the environment's: a command contains one only where it is a valid host or variable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.conf import settings

from envyard.contract.needs.kinds import approval_fault, covers, variable_fault
from registry.accounts import runners
from registry.catalog.models import Version
from registry.provisions import cipher, grants, hosts
from registry.runs.provided import provides

PROVIDED = "It is provided by now; if the version stays held, `hub retry {ref}` repeats it."
UPSTREAM = (
    "Correct the name or the revision in a new version; if the data set can be read by now, "
    "`hub retry {ref}` repeats the evaluation."
)
BY_UPSTREAM = ("not_found", "private", "no_revision")  # reasons that no setting of the hub mends


def is_automatic(kind: str, reasons: Collection[str]) -> bool:
    """Whether the hub sees that it is provided, and evaluates the version again by itself."""
    return kind != "data" or not any(reason in BY_UPSTREAM for reason in reasons)


def steps(version: Version, kind: str, names: Collection[str], reasons: Collection[str]) -> str:
    """The steps that are left, in the order in which they are taken."""
    rows = [text for text in STEPS[kind](version, names, reasons) if text]
    return " ".join(rows) or PROVIDED.format(ref=version)


def _data(version: Version, names: Collection[str], reasons: Collection[str]) -> Iterable[str]:
    """Steps of data sets; the message of the finding names who gives access to each."""
    if any(reason in BY_UPSTREAM for reason in reasons):
        yield UPSTREAM.format(ref=version)
    elif not _runner_provides("data"):
        yield "The operator of a runner sets RUNNER_DATA_URL."
    else:
        yield "The evaluation is repeated once a runner's settings for data sets change."


def _judge(version: Version, names: Collection[str], reasons: Collection[str]) -> Iterable[str]:
    if not settings.HUB_JUDGE_MODEL:
        yield "The hub's operator sets HUB_JUDGE_MODEL."
    if not _runner_provides("judge"):
        yield "The operator of a runner sets RUNNER_JUDGE_URL."


def _secret(version: Version, names: Collection[str], reasons: Collection[str]) -> Iterable[str]:
    environment = version.environment
    if not cipher.is_available():
        yield "The hub's operator sets HUB_SECRETS_KEYS: until then nobody can set a secret."
    rows = list(environment.secrets.all())
    kept = {row.name: row.hosts for row in rows}
    variables = {row.name for row in environment.variables.all()} | set(version.variables)
    standing = {*kept, *variables}
    standing -= set(grants.unreadable(rows))
    missing = [name for name in sorted(names) if name not in standing and not variable_fault(name)]
    if missing:
        yield _to_set(version, missing)
    if kept and cipher.is_available() and not grants.secrets(version, requested_by=None):
        yield "Runs of versions from before a transfer receive no secrets: publish a new version."
    receivers = {host for name in names for host in kept.get(name, [])}
    yield _to_approve(version, receivers)
    if not _runner_provides("host"):
        yield "The operator of a runner sets RUNNER_HOSTS=yes."


def _to_set(version: Version, missing: list[str]) -> str:
    """The commands that set the secrets; the host is named where the code shows one alone."""
    environment = version.environment
    declared = {row.host for row in hosts.of(environment)}
    needed = {name for need in version.needs.all() if need.kind == "host" for name in need.names}
    needed = {name for name in needed if not approval_fault(name)}
    choices = declared or needed
    host = next(iter(choices)) if len(choices) == 1 else "HOST"
    commands = [] if declared else [f"`hub host add {environment} {host}`"]
    commands += [f"`hub secret set {environment} {name} --host {host}`" for name in missing]
    text = f"An owner sets each secret for the host that receives it: {', '.join(commands)}."
    return f"{text} A token of scope admin is needed."


def _host(version: Version, names: Collection[str], reasons: Collection[str]) -> Iterable[str]:
    declared = [row.host for row in hosts.of(version.environment)]
    undeclared = [name for name in sorted(names) if not _among(name, declared)]
    missing = [name for name in undeclared if not approval_fault(name)]
    if missing:
        commands = ", ".join(f"`hub host add {version.environment} {name}`" for name in missing)
        yield f"An owner declares what the environment may reach: {commands}."
    yield _to_approve(version, names)
    if not _runner_provides("host"):
        yield "The operator of a runner sets RUNNER_HOSTS=yes."


def _to_approve(version: Version, names: Collection[str]) -> str:
    approved = hosts.granted(version)
    waiting = [name for name in sorted(names) if not _among(name, approved)]
    return f"The hub's staff approve {', '.join(waiting)}." if waiting else ""


def _machine(version: Version, names: Collection[str], reasons: Collection[str]) -> Iterable[str]:
    if not _runner_provides("machine"):
        yield "Nothing to change where the images are needed: no runner of this hub starts any yet."


def _among(host: str, patterns: Collection[str]) -> bool:
    return any(host == name or covers(name, host) for name in patterns)


def _runner_provides(kind: str) -> bool:
    return any(provides(runner, kind) for runner in runners.alive())


STEPS = {
    "data": _data,
    "judge": _judge,
    "secret": _secret,
    "host": _host,
    "machine": _machine,
}
