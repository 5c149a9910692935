"""What must be true of a version after any fault, read from the database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.faults.world import PLANNED, World

MOST_ATTEMPTS = 3
RUNS = """
    SELECT r.id, r.status, r.attempt, r.done, r.total,
        (SELECT COUNT(*) FROM registry_rollout o WHERE o.run_id = r.id),
        (SELECT COUNT(*) FROM registry_rollout o JOIN registry_transcriptpack p ON p.id = o.pack_id
         WHERE o.run_id = r.id AND p.attempt <> r.attempt),
        (SELECT COALESCE(SUM(LENGTH(l.text)), 0) FROM registry_logchunk l WHERE l.run_id = r.id)
    FROM registry_run r JOIN registry_version v ON v.id = r.version_id
    JOIN registry_environment e ON e.id = v.environment_id WHERE e.name = %s
"""
FINDINGS = """
    SELECT f.severity, f.code, f.message FROM registry_versionfinding f
    JOIN registry_version v ON v.id = f.version_id
    JOIN registry_environment e ON e.id = v.environment_id WHERE e.name = %s
"""
JOURNAL = """
    SELECT j.verb, COALESCE(j.data ->> 'attempt', ''), COUNT(*) FROM registry_event j
    JOIN registry_environment e ON e.id = j.environment_id
    WHERE e.name = %s AND j.verb <> 'version.sent_again'
    GROUP BY 1, 2 HAVING COUNT(*) > 1
"""


@dataclass
class Cell:
    """A version, the stage at which a fault met it, and how it ended."""

    part: str
    fault: str
    stage: str
    name: str
    attempt: int = 0
    end: str = ""
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


def problems(world: World, cell: Cell, may_end: tuple[str, ...] = ("listed",)) -> Iterator[str]:
    """All that is not as it must be."""
    findings = world.rows(FINDINGS, cell.name)
    if cell.end not in may_end:
        yield f"{cell.end}: {findings}"
    runs = world.rows(RUNS, cell.name)
    if len(runs) != 1:
        yield f"{len(runs)} runs"
        return
    ((_, status, attempt, done, total, rollouts, of_others, log),) = runs
    if status not in ("succeeded", "failed", "errored"):
        yield f"its run is {status}"
    if attempt > MOST_ATTEMPTS:
        yield f"attempt {attempt}"
    if status == "succeeded" and (rollouts, done, total) != (PLANNED, PLANNED, PLANNED):
        yield f"{rollouts} rollouts, {done} of {total} done, {PLANNED} planned"
    if of_others:
        yield f"{of_others} rollouts point to another attempt's transcripts"
    if cell.end != "listed" and not (log or findings):
        yield "neither a log nor a finding says why"
    if cell.end == "listed" and any(severity == "error" for severity, _, _ in findings):
        yield f"listed, and yet: {findings}"
    for verb, number, count in world.rows(JOURNAL, cell.name):
        yield f"{verb} {number} is {count} times in the journal"
