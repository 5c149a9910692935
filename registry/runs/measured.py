"""What the newest successful run of a version used from outside, as its endpoints counted it."""

from __future__ import annotations

from envyard.contract.connections import OUTSIDE
from envyard.contract.data_lock import DataLock
from envyard.contract.facts import Facts
from envyard.contract.needs.kinds import Kind
from registry.catalog.models import Version
from registry.runs.models import Run


def needs(version: Version, lock: DataLock) -> dict[Kind, list[str]] | None:
    """The kinds that it used, with the names of data sets, which are those of its data lock, and
    of hosts; None before a run succeeded.

    A judge's host is no host here. Secrets are not measured: a run's code has placeholders, and
    its runner does not count which of them it replaces.
    """
    run = version.runs.filter(status=Run.Status.SUCCEEDED).only("version", "facts").first()
    if run is None:
        return None
    facts = Facts.from_dict({name: run.facts.get(name) for name in ("connections", "judge")})
    hosts = {row.host for row in facts.connections or () if row.route in OUTSIDE and not row.reason}
    used: dict[Kind, list[str]] = {}
    if lock.repositories:
        used["data"] = sorted({each.name for each in lock.repositories})
    if facts.judge is not None:
        used["judge"] = []
    if hosts:
        used["host"] = sorted(hosts)
    return used
