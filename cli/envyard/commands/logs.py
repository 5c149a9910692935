"""`hub logs`: a run's log, and after its end its findings with their tracebacks."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from typing import Any
from uuid import UUID

from envyard import config as configs
from envyard.client import Hub
from envyard.commands.show import run_of, show_finding
from envyard.commands.trial import show_error
from envyard.contract.findings import Finding
from envyard.local_run import distinct_errors
from envyard.output import Output

MAX_FAILED = 100  # rollouts whose errors are compared
POLL_SECONDS = 1.0


def register(commands: Any, common: ArgumentParser) -> None:
    """Add logs."""
    logs = commands.add_parser("logs", parents=[common], help="print a run's log")
    logs.add_argument("run_id", metavar="RUN", help="a run's id, from `hub runs list`")
    logs.add_argument("-f", "--follow", action="store_true", help="keep printing until it ends")
    logs.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Print the log so far, or follow it to the run's end."""
    run_id = run_of(args.run_id)
    hub = Hub(configs.load(args.url))
    text, incomplete_line, after = "", "", 0
    while True:
        part = hub.get(f"runs/{run_id}/log/", after=after)
        after = part["next"]
        if out.as_json:
            text += part["text"]
        else:
            *lines, incomplete_line = (incomplete_line + part["text"]).split(
                "\n"
            )  # a piece may end inside a line
            for line in lines:
                out.line(line)
        if part["ended"] or not (args.follow or part["text"]):
            break
        if not part["text"]:
            time.sleep(POLL_SECONDS)
    if incomplete_line:
        out.line(incomplete_line)
    detail = hub.get(f"runs/{run_id}/") if part["ended"] else {"findings": []}
    rows = detail["findings"]
    if out.as_json:
        out.json({"run": str(run_id), "log": text, "ended": part["ended"], "findings": rows})
        return
    if rows:
        out.line("\nFindings")
    for row in rows:
        show_finding(Finding.from_dict(row), out)
    if any(score["failed"] for score in detail.get("scores", [])):
        show_failed(hub, run_id, out)


def show_failed(hub: Hub, run_id: UUID, out: Output) -> None:
    """Each different error of the run's failed rollouts, with the end of its traceback."""
    failed = hub.pages(f"runs/{run_id}/rollouts/", limit=MAX_FAILED, ok="false")
    out.line("\nFailed rollouts")
    for error in distinct_errors(failed):
        show_error(error, out, traceback=True)
