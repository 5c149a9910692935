"""SIGKILL for what `serve` runs, in the middle of a run: nothing is lost, stuck or listed unseen.

Its supervisor starts it again, and the environment is real; tests/faults kills each part on its
own and at each stage of a run.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests

from envyard.contract.probes import PROBE_NAMES
from tests import postgresql
from tests.flows.hub import DECIDED, Hub, serving
from tests.registry.uploads.forms import form_of
from tests.wheels import TASKSET, filename, make_wheel

pytestmark = [pytest.mark.flow, pytest.mark.extended, pytest.mark.timeout(1500)]

HELD = ("leased", "preparing", "running", "scoring")
LEASE, SWEEP = 6, 10
TASKS = 2
PLANNED = len(PROBE_NAMES) * TASKS
SLOW = TASKSET.replace("import Iterator\n", "import Iterator\nfrom asyncio import sleep\n").replace(
    "        return float(", "        await sleep(0.8)\n        return float("
)
RUNS = """
    SELECT e.name, v.status, r.id, r.status, r.attempt, r.lease_expires_at,
           (SELECT COUNT(*) FROM registry_rollout o WHERE o.run_id = r.id)
    FROM registry_version v JOIN registry_environment e ON e.id = v.environment_id
    LEFT JOIN registry_run r ON r.version_id = v.id
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A version and its run, as the database has them."""

    name: str
    version: str
    run: str
    status: str
    attempt: int
    lease: datetime | None
    rollouts: int


def database(hub: Hub) -> Any:
    """A connection past the hub, which may be dead just now."""
    if url := hub.environ.get("DATABASE_URL"):
        return closing(psycopg.connect(url, autocommit=True))
    return closing(sqlite3.connect(f"file:{hub.home / 'hub.sqlite3'}?mode=ro", 30, uri=True))


def rows(connection: Any) -> list[Row]:
    """All versions and runs."""
    records = connection.execute(RUNS).fetchall()
    return [Row(*record[:5], _time(record[5]), record[6]) for record in records]  # type: ignore[call-arg]


def _time(value: Any) -> datetime | None:
    if value is None or isinstance(value, datetime):  # PostgreSQL's, with their zone
        return value
    return datetime.fromisoformat(value).replace(tzinfo=UTC)


# --- who is killed -----------------------------------------------------------------------------
def sandboxes(hub: Hub) -> list[int]:
    """The outer processes of the sandboxes that run, as their folders name them."""
    records = (Path(hub.environ["RUNNER_HOME"]) / "runs").glob("*/processes")
    pids = [int(record.read_text().split()[0]) for record in records]
    running = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    assert running, "no sandbox runs"
    return running


def children(pid: int) -> list[int]:
    """The processes that this one started."""
    files = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in files for child in file.read_text().split()]


def driver(hub: Hub) -> int:
    """The process inside that plays the rollouts: of the two with environment code, the later."""
    waiting, drivers = sandboxes(hub), []
    for pid in waiting:
        waiting += children(pid)
        if b".env_worker\0" in Path(f"/proc/{pid}/cmdline").read_bytes():
            drivers.append(pid)
    assert drivers, "no driver runs"
    return drivers[-1]


def runners_child(hub: Hub) -> int:
    """The process of the runner that holds the sandboxes."""
    return int(Path(f"/proc/{sandboxes(hub)[0]}/stat").read_text().rpartition(")")[2].split()[1])


def program(name: str) -> Callable[[Hub], int]:
    """One that the supervisor keeps running."""
    return lambda hub: hub.pid(name)


VICTIMS: dict[str, tuple[Callable[[Hub], int], ...]] = {
    "web-and-clock": (program("web"), program("clock")),
    "runner": (program("runner"),),
    "runners-child": (runners_child,),
    "driver": (driver,),
}
CHECKED = "while-checked"
NAMES = (*VICTIMS, CHECKED)


# --- what happens ------------------------------------------------------------------------------
@dataclass
class Watch:
    """Looks at the database all the time, and notes what must never be."""

    hub: Hub
    late: float = 0.0
    unevaluated: set[str] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)

    def look(self) -> None:
        with database(self.hub) as connection:
            while not self.over.wait(0.2):
                self.note(rows(connection), datetime.now(UTC))

    def note(self, rows: list[Row], now: datetime) -> None:
        for row in rows:
            if row.lease is not None and row.status in HELD:
                self.late = max(self.late, (now - row.lease).total_seconds())
            evaluated = row.status == "succeeded" and row.rollouts == PLANNED
            if row.version == "listed" and not evaluated:
                self.unevaluated.add(row.name)


def upload(hub: Hub, name: str) -> str:
    """Publish a slow environment as alice; the wheel's sha256."""
    data = make_wheel(name, files={f"{name.replace('-', '_')}/__init__.py": SLOW})
    answer = requests.post(
        f"{hub.url}/legacy/alice/",
        data=form_of(data),
        files={"content": (filename(name), data)},
        auth=("__token__", hub.token("alice")),
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    return hashlib.sha256(data).hexdigest()


def kill_the_check(hub: Hub) -> None:
    """Kill the hub's worker while it reads a wheel: a pipe in the wheel's place makes it wait."""
    worker = hub.pid("worker")
    os.kill(worker, signal.SIGSTOP)  # it hands out no task while the pipe is laid
    try:
        sha256 = upload(hub, CHECKED)
        stored = hub.home / "files" / "wheels" / sha256[:2] / sha256
        kept = stored.with_name("kept")
        stored.rename(kept)
        os.mkfifo(stored)
    finally:
        os.kill(worker, signal.SIGCONT)
    with database(hub) as connection:
        hub.wait(
            lambda: any((r.name, r.version) == (CHECKED, "checking") for r in rows(connection)),
            "check",
        )
    os.kill(worker, signal.SIGKILL)
    kept.rename(stored)


def kill_each(hub: Hub) -> None:
    """Kill what an environment is named after, once its first run has reported a rollout."""
    due = set(VICTIMS)
    deadline = time.monotonic() + 800
    with database(hub) as connection:
        while due:
            assert time.monotonic() < deadline, f"no run to kill {due} in\n{hub.logs()}"
            for row in rows(connection):
                if row.name in due and row.status == "running" and row.rollouts:
                    for victim in VICTIMS[row.name]:
                        os.kill(victim(hub), signal.SIGKILL)
                    due.remove(row.name)
                assert row.name not in due or row.version not in DECIDED, f"{row} came too early"
            time.sleep(0.1)


@pytest.fixture(scope="module")
def aftermath(home: Path) -> Iterator[tuple[Hub, Watch]]:
    """A hub of its own, after every kill, when all versions are decided."""
    with ExitStack() as stack:
        server = os.environ.get("DATABASE_URL", "")
        url = stack.enter_context(postgresql.database(server)) if server else ""
        settings = {
            "HUB_LEASE_SECONDS": str(LEASE),
            "HUB_SMOKE_TASKS": str(TASKS),
            "RUNNER_HOME": str(home / "runner"),
        }
        hub = stack.enter_context(serving(home / "killed", url, **settings))
        hub.token("alice")
        watch = Watch(hub)
        watching = stack.enter_context(ThreadPoolExecutor(1)).submit(watch.look)
        stack.callback(watch.over.set)
        kill_the_check(hub)
        for name in VICTIMS:
            upload(hub, name)
        kill_each(hub)
        for name in NAMES:
            hub.decided(f"alice/{name}==0.1.0")
        watch.over.set()
        watching.result()
        yield hub, watch


def run_of(hub: Hub, name: str) -> tuple[Any, Any, str]:
    """The version, its run and the run's whole log."""
    version = hub.version(f"alice/{name}==0.1.0")
    run = hub.get(f"runs/{version['run']['id']}/")
    return version, run, hub.run("logs", run["id"]).stdout


@pytest.mark.parametrize("name", ["web-and-clock", CHECKED])
def test_a_killed_part_of_the_hub_costs_no_attempt(aftermath: tuple[Hub, Watch], name: str) -> None:
    hub, _ = aftermath
    version, run, log = run_of(hub, name)
    assert (version["status"], run["status"], run["attempt"]) == ("listed", "succeeded", 1)
    assert "attempt 1" not in log


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("runner", "attempt 1 on embedded ended: "),
        ("runners-child", "attempt 1 on embedded ended: Runner embedded stopped reporting"),
    ],
)
def test_what_kills_the_runners_side_is_tried_again_and_never_blamed_on_the_author(
    aftermath: tuple[Hub, Watch], name: str, why: str
) -> None:
    hub, _ = aftermath
    version, run, log = run_of(hub, name)
    assert (version["status"], run["status"], run["attempt"]) == ("listed", "succeeded", 2)
    assert why in log
    assert not [f for f in version["findings"] if f["severity"] == "error"]


def test_rejection_of_an_environment_names_its_killed_process(
    aftermath: tuple[Hub, Watch],
) -> None:
    hub, _ = aftermath
    version, run, log = run_of(hub, "driver")
    assert (version["status"], run["status"], run["attempt"]) == ("rejected", "failed", 1)
    (error,) = (f for f in version["findings"] if f["severity"] == "error")
    assert "killed by signal 9" in error["message"]
    assert "killed by signal 9" in log


@pytest.mark.parametrize("name", [name for name in NAMES if name != "driver"])
def test_every_planned_rollout_has_one_result(aftermath: tuple[Hub, Watch], name: str) -> None:
    hub, _ = aftermath
    _, run, _ = run_of(hub, name)
    rollouts = hub.get(f"runs/{run['id']}/rollouts/?limit=100")["results"]
    keys = sorted((row["policy"], row["task"], row["attempt"]) for row in rollouts)
    planned = [(policy, task, 0) for policy in run["policies"] for task in range(TASKS)]
    assert keys == sorted(planned)
    assert (run["done"], run["total"]) == (len(planned), len(planned))


def test_no_run_outlived_its_lease_and_nothing_was_listed_unevaluated(
    aftermath: tuple[Hub, Watch],
) -> None:
    _, watch = aftermath
    assert watch.unevaluated == set()
    assert watch.late < SWEEP + 5, f"a run was held {watch.late:.1f} s past its lease"


def test_the_hub_works_on(aftermath: tuple[Hub, Watch]) -> None:
    hub, _ = aftermath
    assert sorted(
        set(re.findall(r"(\w+) ended \(SIGKILL\)", (hub.home / "serve.log").read_text()))
    ) == ["clock", "runner", "web", "worker"]
    upload(hub, "after-all")
    assert hub.decided("alice/after-all==0.1.0")["status"] == "listed"
