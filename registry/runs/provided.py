"""What a run needs from outside, and what runners, operator and owners provide of it.

The needs of a run choose its runner: those that its wheel declares or its code shows, and those
for which an earlier run of the version was held. `Provisions` of a run is what its attempt had;
a held version is evaluated again when other provisions would now meet what it lacked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import Q

from envyard.contract.findings import Finding
from envyard.contract.needs.kinds import KINDS, Kind, covers
from envyard.contract.values import record, text
from registry.accounts import runners
from registry.accounts.models import Runner, User
from registry.catalog.models import Version
from registry.catalog.related_models import VersionFinding
from registry.provisions import grants
from registry.runs.models import Run

# Kinds that some runners provide and others not.
BY_RUNNER: tuple[Kind, ...] = ("data", "judge", "host", "machine")
CODES = {f"needs.{kind}": kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class Provisions:
    """What one attempt of a run has, by kind; an empty text or collection where it has nothing.

    `data`, `host` and `machine` are the runner's fingerprints of its settings. `secrets` has each
    name with the time it was set; `variables` are public.
    """

    data: str = ""
    judge: str = ""
    host: str = ""
    machine: str = ""
    hosts: tuple[str, ...] = ()
    secrets: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    def digest(self, kinds: Collection[str]) -> str:
        """A digest of what concerns needs of these kinds."""
        return digest_of(self.to_dict(), kinds)

    def meets(self, kind: str, names: Collection[str]) -> bool:
        """Whether a need of this kind for these names is met, as far as can be known before."""
        if kind == "secret":
            return all(name in self.secrets or name in self.variables for name in names)
        if kind == "host":
            return bool(self.host) and all(
                any(covers(approved, name) for approved in self.hosts) for name in names
            )
        return bool(getattr(self, kind))


FIELDS = {
    "data": ("data",),
    "judge": ("judge",),
    "machine": ("machine",),
    "host": ("host", "hosts"),
    "secret": ("host", "hosts", "secrets", "variables"),
}


def digest_of(provided: dict[str, Any], kinds: Collection[str]) -> str:
    """The same of the JSON form that a run stores."""
    names = sorted({name for kind in kinds for name in FIELDS[kind]})
    values = {name: provided.get(name) for name in names}
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=list).encode()).hexdigest()


def provisions(version: Version, runner: Runner, *, requested: User | None = None) -> Provisions:
    """What a run of the version has on that runner now; `requested` is who requested it."""
    grant = grants.of(version, requested_by=requested)
    return Provisions(
        data=provides(runner, "data"),
        judge=_judge(runner),
        host=provides(runner, "host"),
        machine=provides(runner, "machine"),
        hosts=tuple(sorted(grant.hosts)),
        secrets=grant.set_at,
        variables=grant.variables,
    )


def provides(runner: Runner, kind: str) -> str:
    """The runner's fingerprint of its settings for the kind, empty where it provides nothing."""
    return text(record(runner.capabilities.get("provides")).get(kind), 80)


def _judge(runner: Runner) -> str:
    """Of the judge: the hub's model and the runner's server for it, both of which a run needs."""
    model, server = settings.HUB_JUDGE_MODEL, provides(runner, "judge")
    return f"{model} {server}" if model and server else ""


def provided_kinds(runner: Runner) -> set[Kind]:
    """The kinds that this runner provides to runs that need them."""
    kinds = {kind for kind in BY_RUNNER if provides(runner, kind)}
    return kinds if settings.HUB_JUDGE_MODEL else kinds - {"judge"}


def by_live_runners() -> list[Kind]:
    """The kinds that any live runner provides to runs, in the order of BY_RUNNER."""
    kinds = {kind for runner in runners.alive() for kind in provided_kinds(runner)}
    return [kind for kind in BY_RUNNER if kind in kinds]


def tag_of(kinds: Iterable[str]) -> str:
    """The column `Run.needs`: `,data,judge,`; empty for none."""
    rows = [kind for kind in BY_RUNNER if kind in set(kinds)]
    return f",{','.join(rows)}," if rows else ""


def needs_of(version: Version) -> str:
    """The same for a new run of the version: what it declares, shows, or an earlier run lacked."""
    kinds = {need.kind for need in version.needs.all()}
    if earlier := version.runs.order_by("-created_at").only("needs").first():
        kinds |= set(earlier.needs.split(","))
    return tag_of({*kinds, *(["host"] if "secret" in kinds else [])})


def add_needs(run: Run, kinds: Iterable[str]) -> None:
    """Choose the runners of the run's next attempt, and of later runs, by these kinds too."""
    run.needs = tag_of({*run.needs.split(","), *kinds})
    Run.with_shards.filter(pk=run.pk).update(needs=run.needs)


def suitable(runner: Runner, others: Iterable[Runner]) -> Q:
    """The runs that this runner may take: none that needs a kind which it lacks and one of the
    others provides."""
    lacking = set(BY_RUNNER) - provided_kinds(runner)
    condition = Q()
    for kind in sorted({kind for other in others for kind in provided_kinds(other)} & lacking):
        condition &= ~Q(needs__contains=f",{kind},")
    return condition


def lacked(findings: Iterable[Finding | VersionFinding]) -> dict[str, set[str]]:
    """The kinds that findings of requirements name, each with the names in their details."""
    kinds: dict[str, set[str]] = {}
    for finding in findings:
        if kind := CODES.get(finding.code):
            names = finding.details.get("names")
            plain = names if isinstance(names, list) else []
            kinds.setdefault(kind, set()).update(str(name) for name in plain)
    return kinds


def better_runner(run: Run, kinds: dict[str, set[str]]) -> Runner | None:
    """A live runner that provides what the run lacked on its own, and has not lost an attempt."""
    tried = set(run.lost_attempts.values_list("runner_id", flat=True)) | {run.runner_id}
    for runner in runners.alive().exclude(pk__in=[pk for pk in tried if pk is not None]):
        had = provisions(run.version, runner, requested=run.requested_by)
        if all(had.meets(kind, names) for kind, names in kinds.items()):
            return runner
    return None


def newly_met(version: Version, live: Collection[Runner]) -> bool:
    """Whether one of these runners now has all that the held version lacked, by provisions that
    none of its earlier runs had. Its findings and runs come prefetched."""
    kinds = lacked(row for row in version.findings.all() if row.severity == "error")
    by_runner = {("host" if kind == "secret" else kind) for kind in kinds}
    able = [runner for runner in live if by_runner <= provided_kinds(runner)]
    if not kinds or not able:
        return False
    tried = {digest_of(run.provided, kinds) for run in version.runs.all()}
    for runner in able:
        now = provisions(version, runner)
        meets = all(now.meets(kind, names) for kind, names in kinds.items())
        if meets and now.digest(kinds) not in tried:
            return True
    return False
