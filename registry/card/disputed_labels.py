"""Tasks whose reference disagrees with models, from the stored rollouts of their runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from envyard.card.consensus import CODE, Disputes, Vote, disputes, disputes_finding
from envyard.contract.findings import Finding
from envyard.contract.job import MODEL
from envyard.contract.values import record, records
from registry.runs.endings import keep_findings
from registry.runs.models import Rollout, Run

MAX_TASKS = 1_000_000
ByTask = dict[int, list[Vote]]


def of_runs(runs: Sequence[Run]) -> Disputes | None:
    """What the models of the runs dispute, which are of one version and suite; one query.

    Tasks that not all runs loaded alike (by hash) are left out.
    """
    hashes = [_hashes(run) for run in runs]
    first = hashes[0] if hashes else {}
    alike = {task for task, digest in first.items() if all(h.get(task) == digest for h in hashes)}
    uncounted = {run.pk: record(run.facts.get("not_counted")) for run in runs}
    votes: dict[UUID, ByTask] = {run.pk: defaultdict(list) for run in runs}
    rows = Rollout.objects.filter(run__in=votes, policy=MODEL, ok=True, reward__isnull=False)
    columns = rows.values_list("run_id", "task", "attempt", "answer", "reward")
    for pk, task, attempt, answer, reward in columns.order_by("run_id", "task", "attempt"):
        if task in alike and f"{MODEL}/{task}/{attempt}" not in uncounted[pk]:
            votes[pk][task].append(Vote(answer, float(reward or 0.0)))
    return disputes([votes[run.pk] for run in runs])


def findings_of(run: Run) -> list[Finding]:
    """The finding about what all attempts of the run's model dispute, if any."""
    if MODEL not in run.policies:
        return []
    disputed = of_runs([run])
    return [disputes_finding(disputed)] if disputed else []


def keep(run: Run) -> None:
    """Store the finding among those of the run, once."""
    if not run.findings.filter(code=CODE).exists():
        keep_findings(run=run, findings=findings_of(run))


def _hashes(run: Run) -> dict[int, str]:
    rows = records(run.facts.get("tasks"), MAX_TASKS)
    return {row["index"]: str(row.get("hash")) for row in rows if isinstance(row.get("index"), int)}
