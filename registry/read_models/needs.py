"""What a version needs from outside, and what it is held for, as the API and pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from django.db.models import Count, QuerySet

from envyard.contract.data_lock import DataLock
from envyard.contract.findings import is_requirement
from envyard.contract.needs.kinds import KINDS, Kind, need
from registry.catalog.models import Version
from registry.catalog.related_models import VersionFinding, VersionNeed
from registry.read_models.annotations import Spec
from registry.runs import measured, remaining

STATES = tuple(f"needs_{kind}" for kind in KINDS)
MAX_EXAMPLES = 5
# What the hub's operator does about a kind, for staff.
PROVIDED_BY: dict[str, str] = {
    "data": "Set `RUNNER_DATA_URL` on a runner; gated data sets also need `RUNNER_DATA_TOKEN`.",
    "judge": "Set `HUB_JUDGE_MODEL` on the hub, and `RUNNER_JUDGE_URL` on a runner.",
    "secret": "An owner sets each secret; the hub needs `HUB_SECRETS_KEYS`.",
    "host": "Approve the hosts, and set `RUNNER_HOSTS=yes` on a runner.",
    "machine": "No runner starts container images yet.",
}


# The beginnings of sentences about needs that the endpoints of a run saw.
MEASURED: dict[Kind, str] = {
    "data": "Its runs read data sets",
    "judge": "Its runs called a judge model",
    "host": "Its runs connected to hosts",
}


@dataclass(frozen=True, slots=True)
class Requirement:
    """What the last run of a held version lacked."""

    state: Annotated[str, Spec(enum=list(STATES))]
    names: Annotated[
        list[str], Spec(description="Of data sets, secrets, hosts or images; empty for others.")
    ]
    message: str
    hint: Annotated[str, Spec(description="What is still to do now, and by whom.")]
    automatic: Annotated[
        bool, Spec(description="The hub evaluates the version again by itself once it is provided.")
    ]


@dataclass(frozen=True, slots=True)
class VersionNeeds:
    """What the version declares that it needs, what its runs used, or what it probably needs by
    its code."""

    kind: Annotated[str, Spec(enum=list(KINDS))]
    names: list[str]
    declared: Annotated[bool, Spec(description="Stated in the wheel.")]
    measured: Annotated[
        bool,
        Spec(
            description="A run that succeeded used it; what is neither declared nor measured is "
            "predicted."
        ),
    ]
    where: Annotated[
        str, Spec(description="The file and line that shows it; empty where a run alone does.")
    ]
    sentence: str


@dataclass(frozen=True, slots=True)
class Lack:
    """A kind of need for which versions are held: their number, the newest, and what to do."""

    state: str
    versions: int
    newest: list[Version]
    provided_by: str


def lacks() -> list[Lack]:
    """What held versions lack, by kind. Costs a query, and one for each kind that is lacked."""
    rows = VersionFinding.objects.filter(
        version__status=Version.Status.HELD,
        version__deleted_at=None,
        severity="error",
        code__in=[f"needs.{kind}" for kind in KINDS],
    )
    counts = dict(rows.order_by().values_list("code").annotate(Count("version", distinct=True)))
    return [
        Lack(f"needs_{kind}", counts[code], _newest(rows.filter(code=code)), PROVIDED_BY[kind])
        for kind in KINDS
        if (code := f"needs.{kind}") in counts
    ]


def _newest(rows: QuerySet[VersionFinding]) -> list[Version]:
    versions = Version.objects.filter(pk__in=rows.values("version"))
    return list(versions.select_related("environment__owner").order_by("-pk")[:MAX_EXAMPLES])


def requirements(version: Version) -> list[Requirement]:
    """What a held version lacked; none in any other status."""
    if version.status != Version.Status.HELD:
        return []
    rows = (row for row in version.findings.deciding() if row.severity == "error")
    return [_requirement(version, row) for row in rows if is_requirement(row.code)]


def _requirement(version: Version, row: VersionFinding) -> Requirement:
    kind, names = row.code.partition(".")[2], _texts(row.details.get("names"))
    reasons = _texts(row.details.get("reasons"))
    return Requirement(
        state=row.code.replace(".", "_"),
        names=names,
        message=row.message,
        hint=remaining.steps(version, kind, names, reasons),
        automatic=remaining.is_automatic(kind, reasons),
    )


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def of_version(version: Version, lock: DataLock) -> list[VersionNeeds]:
    """VersionNeeds of each kind, in the order of KINDS, by the version's data lock."""
    rows = {row.kind: row for row in version.needs.all()}
    used = measured.needs(version, lock) or {}
    return [_need(kind, rows.get(kind), used.get(kind)) for kind in KINDS if kind in {*rows, *used}]


def _need(kind: Kind, row: VersionNeed | None, used: list[str] | None) -> VersionNeeds:
    """What the wheel declares is shown as declared; else what runs used, if anything is known."""
    declared = row is not None and row.declared
    if used is None or declared:
        names = row.names if row else []
        sentence = need(kind, names, declared=declared).sentence
    else:
        names = list(need(kind, used).names)
        sentence = f"{MEASURED[kind]}{': ' if names else ''}{', '.join(names)}."
    return VersionNeeds(
        kind=kind,
        names=names,
        declared=declared,
        measured=used is not None,
        where=row.where if row else "",
        sentence=sentence,
    )
