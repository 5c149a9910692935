"""`hub cancel`: end a run that is under way."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub
from envyard.commands.show import run_of
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add cancel."""
    cancel = commands.add_parser("cancel", parents=[common], help="end a run that is under way")
    cancel.add_argument("run_id", metavar="RUN", help="a run's id, from `hub runs list`")
    cancel.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Ask for its end; its runner hears of it with the next report."""
    found = Hub(configs.load(args.url)).post(f"runs/{run_of(args.run_id)}/cancel/")
    if out.as_json:
        out.json(found)
    out.note(f"Run {found['id']} of {found['version']} {_how(found)}")


def _how(run: dict[str, Any]) -> str:
    if run["status"] == "cancelled":
        return "is cancelled"
    if run["ended_at"]:
        return f"had ended before: {run['status']}"
    return f"is {run['status']} and ends with its runner's next report"
