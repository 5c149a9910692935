"""The invariants of a version after any fault, read from the database and the storage."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.deployment import ATTEMPTS, DISKS, PLANNED, TASKS, Deployment

MAX_ATTEMPTS = 10  # those that never reached environment code do not count
POLICIES = {"silent": 1, "parrot": 1, "model": ATTEMPTS}
EXPECTED = [(p, t, a) for p, times in POLICIES.items() for t in range(TASKS) for a in range(times)]
OF_ENVIRONMENT = """
    FROM registry_version v JOIN registry_environment e ON e.id = v.environment_id
"""
RUNS = f"""
    SELECT r.id, r.status, r.attempt, r.done, r.total,
        (SELECT COUNT(*) FROM registry_card c WHERE c.run_id = r.id)
    {OF_ENVIRONMENT} JOIN registry_run r ON r.version_id = v.id WHERE e.name = %s
"""
ROLLOUTS = """
    SELECT o.policy, o.task, o.attempt, o.ok, o.reward, o.calls, o.length, o."offset",
        p.sha256, p.attempt
    FROM registry_rollout o LEFT JOIN registry_transcriptpack p ON p.id = o.pack_id
    WHERE o.run_id = %s ORDER BY 1, 2, 3
"""
UNUSED_PACKS = """
    SELECT p.seq FROM registry_transcriptpack p JOIN registry_run r ON r.id = p.run_id
    WHERE r.id = %s AND p.attempt = r.attempt
        AND NOT EXISTS (SELECT 1 FROM registry_rollout o WHERE o.pack_id = p.id)
"""
LOG = """
    SELECT l.attempt, string_agg(l.text, '' ORDER BY l.seq) FROM registry_logchunk l
    WHERE l.run_id = %s GROUP BY 1 ORDER BY 1
"""
FINDINGS = f"""
    SELECT f.severity, f.code, f.message
    {OF_ENVIRONMENT} JOIN registry_versionfinding f ON f.version_id = v.id WHERE e.name = %s
"""
JOURNAL = """
    SELECT j.verb, COALESCE(j.data ->> 'attempt', ''), COUNT(*) FROM registry_event j
    JOIN registry_environment e ON e.id = j.environment_id
    WHERE e.name = %s AND j.verb <> 'version.sent_again' GROUP BY 1, 2
"""
VERSIONS = f"SELECT v.id, v.sha256, v.staged {OF_ENVIRONMENT} WHERE e.name = %s"
# Of the whole database: no run, session or lock waits.
STUCK = """
    SELECT 'run ' || r.id || ' is ' || r.status FROM registry_run r WHERE r.ended_at IS NULL
    UNION ALL SELECT 'a version is ' || status FROM registry_version
        WHERE status IN ('uploaded', 'checking', 'evaluating')
    UNION ALL SELECT 'a session is ' || state || ' since ' || state_change FROM pg_stat_activity
        WHERE state LIKE 'idle in transaction%%' AND state_change < now() - interval '20 seconds'
    UNION ALL SELECT 'a lock is waited for: ' || locktype || ' by ' || l.pid FROM pg_locks l
        JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE NOT l.granted AND a.query_start < now() - interval '20 seconds'
    UNION ALL SELECT 'an advisory lock is held by ' || l.pid FROM pg_locks l
        JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND a.query_start < now() - interval '20 seconds'
"""


@dataclass
class Case:
    """A version, the stage at which the fault occurred, and its end.

    `seen` is its state just before and the sign of the fault; `seconds` go from the fault to the
    decision.
    """

    part: str
    fault: str
    stage: str
    name: str
    seen: str = ""
    attempt: int = 0
    end: str = ""
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


def problems(
    deployment: Deployment, case: Case, may_end: tuple[str, ...] = ("listed",)
) -> Iterator[str]:
    """Every violated invariant, as a sentence."""
    findings = deployment.rows(FINDINGS, case.name)
    if case.end not in may_end:
        yield f"{case.end}: {findings}"
    if case.end == "listed" and any(severity == "error" for severity, _, _ in findings):
        yield f"listed, and yet: {findings}"
    if case.end != "listed" and not findings:
        yield f"{case.end} without a finding"
    versions, runs = deployment.rows(VERSIONS, case.name), deployment.rows(RUNS, case.name)
    if (len(versions), len(runs)) != (1, 1):
        yield f"{len(versions)} versions, {len(runs)} runs"
        return
    ((_, sha256, staged),) = versions
    wheel = hashlib.sha256(deployment.stored(f"wheels/{sha256[:2]}/{sha256}")).hexdigest()
    if staged or wheel != sha256:
        yield f"its wheel is not in its place (staged: {staged!r})"
    ((run, status, attempt, done, total, cards),) = runs
    succeeded = status == "succeeded"
    if status not in ("succeeded", "errored") or succeeded != (case.end == "listed"):
        yield f"its run is {status}, it is {case.end}"
    if not 1 <= attempt <= MAX_ATTEMPTS:
        yield f"attempt {attempt}"
    if cards != succeeded:
        yield f"{cards} cards"
    if succeeded and (done, total) != (PLANNED, PLANNED):
        yield f"{done} of {total} done, {PLANNED} planned"
    yield from _of_rollouts(deployment, run, attempt, succeeded=succeeded)
    yield from _of_log(deployment, run, attempt, succeeded=succeeded)
    yield from _of_journal(deployment, case, attempt, succeeded=succeeded)


def _of_rollouts(
    deployment: Deployment, run: str, attempt: int, *, succeeded: bool
) -> Iterator[str]:
    """Each planned rollout once, with its reward and its own transcript of the same attempt."""
    rollouts = deployment.rows(ROLLOUTS, run)
    names = [row[:3] for row in rollouts]
    if succeeded and names != sorted(EXPECTED):
        yield f"its rollouts are {names}"
    if not set(names) <= set(EXPECTED) or len(set(names)) < len(names):
        yield f"unplanned or doubled rollouts: {names}"
    for policy, task, number, ok, reward, calls, length, offset, sha256, of in rollouts:
        name = f"{policy}/{task}/{number}"
        if succeeded and (not ok or reward != float(policy == "model") or calls != 1):
            yield f"{name} is ok={ok}, paid {reward}, with {calls} calls"
        if not sha256:
            if ok:
                yield f"{name} has no transcript"
            continue
        if of != attempt:
            yield f"{name} points to the transcripts of attempt {of}"
        pack = deployment.stored(f"transcripts/{sha256[:2]}/{sha256}")
        line = pack[offset : offset + length]
        try:
            stored = json.dumps(json.loads(gzip.decompress(line)))
        except (OSError, EOFError, ValueError) as error:
            yield f"{name}: its transcript cannot be read: {error!r}"
        else:
            if f"word {task}" not in stored:
                yield f"{name} has another task's transcript"
    if unused := deployment.rows(UNUSED_PACKS, run):
        yield f"packs without a rollout: {unused}"


def _of_log(deployment: Deployment, run: str, attempt: int, *, succeeded: bool) -> Iterator[str]:
    """Nothing twice, nothing missing, and the reason for each lost attempt."""
    log = dict(deployment.rows(LOG, run))
    if set(log) - set(range(1, attempt + 1)):
        yield f"a log of attempts {sorted(log)}"
    for number in range(1, attempt + (not succeeded)):
        ended = rf"\[hub\] attempt {number} on \S+ ended: "
        count = len(re.findall(ended, log.get(number, "")))
        if count != 1:
            yield f"the log has {count} reasons for the end of attempt {number}"
    for number, text in log.items():
        played = re.findall(r"^played (\S+)$", text, re.MULTILINE)
        arrived = text.count(" bytes, sha256 ")
        loaded = len(re.findall(r"^loaded$", text, re.MULTILINE))
        if len(set(played)) < len(played) or arrived > 1 or loaded > 1:
            yield f"the log of attempt {number} has lines twice: {text}"
        if succeeded and number == attempt and (len(played), arrived, loaded) != (PLANNED, 1, 1):
            yield f"the log of the last attempt lacks something: {text}"


def _of_journal(
    deployment: Deployment, case: Case, attempt: int, *, succeeded: bool
) -> Iterator[str]:
    journal = deployment.rows(JOURNAL, case.name)
    for verb, number, count in journal:
        if count > 1:
            yield f"{verb} {number} is {count} times in the journal"
    counted = {(verb, number) for verb, number, _ in journal}
    wanted = {("run.leased", str(number)) for number in range(1, attempt + 1)}
    wanted |= {("run.requeued", str(number)) for number in range(2, attempt + 1)}
    wanted |= {(f"run.{'succeeded' if succeeded else 'errored'}", str(attempt))}
    if missing := wanted - counted:
        yield f"the journal lacks {missing}"
    endings = [
        verb for verb, _ in counted if verb in ("run.succeeded", "run.failed", "run.errored")
    ]
    if len(endings) != 1:
        yield f"it ended as {endings}"


def stuck(deployment: Deployment) -> list[str]:
    """Rows, sessions and locks that wait, and mounts that were not removed."""
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    left_mounts = sorted(mount for mount in mounts if mount.startswith(str(deployment.home)))
    disks = sorted(str(deployment.home / name) for name in DISKS) if deployment.disks else []
    extra = [] if left_mounts == disks else [f"mounts that were not removed: {left_mounts}"]
    return [row[0] for row in deployment.rows(STUCK)] + extra
