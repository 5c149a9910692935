"""Following a push where nobody watches a terminal."""

from __future__ import annotations

import io
import threading
from typing import Any

import pytest

from envyard.client import Hub
from envyard.commands.follow import follow
from envyard.config import Config
from envyard.contract.names import Ref
from envyard.output import Output
from tests.cli.conftest import Answers

PATH = "GET /api/v1/environments/alice/demo-env/versions/0.1.0/"


def version(status: str, queue: dict[str, int] | None) -> dict[str, Any]:
    run = {"id": "run-1", "status": "queued", "done": 0, "total": 0, "queue": queue}
    return {"status": status, "findings": [], "run": run, "url": "http://hub/demo-env"}


@pytest.mark.slow
def test_follow_reports_a_missing_runner_once(server: Answers) -> None:
    alone = {"before": 0, "waiting": 1, "runners": 0}
    server.reply(PATH, 200, version("evaluating", alone))
    stderr = io.StringIO()
    out = Output(out=io.StringIO(), err=stderr)
    follower = threading.Thread(
        target=follow, args=(Hub(Config(server.url)), Ref("alice", "demo-env", "0.1.0"), out)
    )
    follower.start()
    while len(server.requests) < 3:
        follower.join(0.1)
        assert follower.is_alive()
    server.reply(PATH, 200, version("listed", None))
    follower.join(60)
    assert stderr.getvalue().splitlines()[:2] == [
        "evaluating ...",
        "No live runner can execute the run; it stays queued.",
    ]
    assert stderr.getvalue().count("No live runner") == 1


@pytest.mark.slow
def test_findings_of_a_verdict_are_shown_below_it(server: Answers) -> None:
    warning = {"code": "card.speed", "severity": "warning", "message": "It is slow.", "hint": ""}
    early = version("evaluating", None)
    server.reply(PATH, 200, early)
    terminal = io.StringIO()
    out = Output(out=terminal, err=terminal)
    follower = threading.Thread(
        target=follow, args=(Hub(Config(server.url)), Ref("alice", "demo-env", "0.1.0"), out)
    )
    follower.start()
    while len(server.requests) < 2:
        follower.join(0.1)
        assert follower.is_alive()
    server.reply(PATH, 200, {**early, "findings": [warning]})
    reached = len(server.requests) + 2
    while len(server.requests) < reached:
        follower.join(0.1)
        assert follower.is_alive()
    server.reply(PATH, 200, {**version("listed", None), "findings": [warning]})
    follower.join(60)
    lines = terminal.getvalue().splitlines()
    [place] = [number for number, line in enumerate(lines) if "It is slow." in line]
    assert lines.index("alice/demo-env==0.1.0 is listed") < place
    assert lines[0] == "evaluating ..."
