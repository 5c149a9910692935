"""Hostile environments on a real hub: contained, ended in time, and named in findings.

Their code is in the folder `hostile`; each prints its successes in its log and metrics.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flows.conftest import limited
from tests.flows.hub import Hub
from tests.wheels import TASKSET, filename, make_wheel

pytestmark = [pytest.mark.flow, pytest.mark.timeout(900)]

PAYLOADS = Path(__file__).with_name("hostile")
NAMES = ("spy", "hog", "loop", "flood")
SOURCE = (
    TASKSET.replace(
        "import verifiers.v1 as vf\n", "import verifiers.v1 as vf\n\nfrom . import payload\n"
    )
    .replace("WORDS = ", 'payload.at("import")\nWORDS = ')
    .replace("        for word in", '        payload.at("load")\n        for word in')
    .replace("        return float(", '        payload.at("rollout")\n        return float(')
    .replace(
        "    def oracle(",
        "    @vf.metric\n    async def spied(self, trace: vf.Trace) -> dict[str, float]:\n"
        "        return payload.score()\n\n    def oracle(",
    )
)
LOG_BYTES = 1 << 20


def hostile(hub: Hub, folder: Path, name: str) -> Path:
    """The wheel of a hostile environment, with facts of the host, which it need not guess."""
    home, runners = hub.home, Path(hub.environ["RUNNER_HOME"])
    paths = [home, home / "secret_key", home / "logs", runners, runners / "runs", runners / "venvs"]
    host = {
        "port": int(hub.url.rpartition(":")[2]),
        "paths": [*map(str, paths), "/etc/shadow", "/root", "/home", "/run", "/sys", "/dev/kmsg"],
        "pids": [hub.pid("runner"), hub.pid("web")],
    }
    source = (PAYLOADS / f"{name}.py").read_text().replace("@HOST@", json.dumps(host))
    module = f"hostile_{name}"
    files = {f"{module}/__init__.py": SOURCE, f"{module}/payload.py": source}
    path = folder / filename(f"hostile-{name}")
    path.write_bytes(make_wheel(f"hostile-{name}", files=files))
    return path


@pytest.fixture(scope="module")
def hub(home: Path) -> Iterator[Hub]:
    """A hub whose runner has real sandboxes; a run gets 180 s, 40 of a CPU and 2 GiB."""
    with limited(home, "hostile", HUB_RUN_SECONDS="180", RUNNER_CPU_SECONDS="40") as hub:
        yield hub


@pytest.fixture(scope="module")
def published(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Hub:
    """The hub after all of them were published, and then a good one."""
    folder = tmp_path_factory.mktemp("hostile")
    for name in NAMES:
        hub.run("push", hostile(hub, folder, name), "--no-wait")
    good = folder / filename("good-after-all")
    good.write_bytes(make_wheel("good-after-all"))
    hub.run("push", good)
    return hub


def report_of(hub: Hub, name: str) -> tuple[Any, dict[str, Any], str]:
    """The decided version, its findings by code, and the log as its author reads it."""
    version = hub.decided(f"alice/hostile-{name}==0.1.0")
    findings = {row["code"]: row for row in version["findings"]}
    return version, findings, hub.run("logs", version["run"]["id"]).stdout


def test_a_spy_reaches_nothing_and_is_rejected_for_the_events_that_it_forged(
    published: Hub,
) -> None:
    version, findings, log = report_of(published, "spy")
    assert "REACHED" not in log
    for stage in ("import", "load", "rollout"):
        assert f"spied at {stage}" in log
        for attempt in ("tcp", "udp", "dns", "the hub", "file /etc/shadow", "the runner"):
            assert f"refused {attempt} at {stage}" in log

    assert version["status"] == "rejected"
    rollouts = published.get(f"runs/{version['run']['id']}/rollouts/?limit=100")["results"]
    assert {
        (rollout["metrics"]["reached"], rollout["metrics"]["door"]) for rollout in rollouts
    } == {(0.0, 1.0)}
    assert {code: rollout["severity"] for code, rollout in findings.items()} == {
        "env.shared_state": "warning",  # rewards fill its dictionary of attempts
        "env.reads_surroundings": "warning",  # it reads its environment, and reports a runner's
        "run.network": "warning",
        "run.inconsistent": "error",
        "isolation.refused_calls": "warning",
    }
    assert findings["run.network"]["details"]["attempts"] > 10
    assert set(findings["run.network"]["details"]["targets"]) == {"1.1.1.1:443", "8.8.8.8:53"}
    assert set(findings["isolation.refused_calls"]["details"]["calls"]) == {"ptrace"}
    for forged in ("model/0/0", "oracle/99/0", "rollout_started", "loaded", "listed"):
        assert forged in findings["run.inconsistent"]["message"]


def test_what_a_log_does_to_a_terminal_is_not_shown(published: Hub) -> None:
    _, _, log = report_of(published, "spy")
    assert "owned" in log
    assert not set(log) & {"\x1b", "\x07"}


def test_a_hog_is_held_to_its_processes_and_disk_and_ended_for_its_memory(published: Hub) -> None:
    version, findings, log = report_of(published, "hog")
    match = re.search(r"forked (\d+) processes", log)
    assert match
    assert 20 < int(match[1]) < 256
    wrote = [int(size) for size in re.findall(r"wrote (\d+) MiB", log)]
    assert wrote  # a pair by each process that loads the environment before the run ends
    assert all(100 < size <= 256 for size in wrote)
    assert version["status"] == "rejected"
    errors = [code for code, row in findings.items() if row["severity"] == "error"]
    assert errors == ["run.memory"], findings
    assert "more memory than its limit" in findings["run.memory"]["message"]


def test_a_loop_is_ended_and_its_log_is_bounded(published: Hub) -> None:
    version, findings, log = report_of(published, "loop")
    assert version["status"] == "rejected"
    (error,) = (code for code, row in findings.items() if row["severity"] == "error")
    assert error in ("run.cpu", "run.wall_clock")
    assert "00000000 import blah" in log
    assert "characters are left out here\n" in log
    assert 60_000 < len(log) < LOG_BYTES
    assert any(line.startswith(f"[runner] {error}: ") for line in log.splitlines()[-5:])
    run = published.get(f"runs/{version['run']['id']}/")
    assert run["attempt"] == 1


def test_a_flood_of_events_ends_the_run(published: Hub) -> None:
    version, findings, _ = report_of(published, "flood")
    assert version["status"] == "rejected"
    assert "more events than its limit" in findings["run.flooded"]["message"]


def test_the_same_runner_lists_a_good_one_afterwards(published: Hub) -> None:
    version = published.version("alice/good-after-all==0.1.0")
    assert (version["status"], version["findings"]) == ("listed", [])
