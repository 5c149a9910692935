"""`hub cancel`: cancel a queued or active run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub
from envyard.commands.show import run_of
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add cancel."""
    cancel = commands.add_parser("cancel", parents=[common], help="cancel a queued or active run")
    cancel.add_argument("run_id", metavar="RUN", help="a run's id, from `hub runs list`")
    cancel.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Cancel the run; its runner gets the answer to its next event batch."""
    ended = Hub(configs.load(args.url)).post(f"runs/{run_of(args.run_id)}/cancel/")
    if out.as_json:
        out.json(ended)
    out.note(f"Run {ended['id']} of {ended['version']} {_outcome_text(ended)}")


def _outcome_text(run: dict[str, Any]) -> str:
    if run["status"] == "cancelled":
        return "is cancelled"
    if run["ended_at"]:
        return f"had ended before: {run['status']}"
    return f"is {run['status']} and ends when its runner next contacts the hub"
