"""How a run on the author's machine reads in the terminal."""

from __future__ import annotations

from typing import Any

from envyard.commands.info import show_measures
from envyard.commands.show import number
from envyard.output import Output

LINES = 8  # of a rollout's traceback


def show_trial(trial: dict[str, Any], out: Output) -> None:
    """Tasks, each probe's rewards, and the card that the hub gave the report."""
    tasks = trial["facts"].get("tasks") or []
    out.line(f"{len(tasks)} tasks loaded; {len(trial['rollouts'])} rollouts, {trial['outcome']}")
    shown: set[str] = set()
    for row in trial["probes"] if trial["rollouts"] else ():
        failed = f", {row['failed']} failed" if row["failed"] else ""
        rewards = " ".join(number(reward) for reward in row["rewards"])
        out.line(f"  {row['policy']:<8} mean {number(row['mean'])} n={row['n']}{failed}: {rewards}")
        for error in row["errors"][:3]:
            show_error(error, out, traceback=error["message"] not in shown)
            shown.add(error["message"])
    card = trial.get("card")
    if isinstance(card, dict):
        show_measures(card.get("measures", []), out)


def show_error(error: dict[str, Any], out: Output, *, traceback: bool) -> None:
    """What a probe's rollouts failed with, and the end of its traceback."""
    out.line(f"      task {error['task']}: {error['message']} ({error['n']} rollouts)", "red")
    for line in error["traceback"].strip("\n").splitlines()[-LINES:] if traceback else ():
        out.line(f"      | {line}", "dim")
