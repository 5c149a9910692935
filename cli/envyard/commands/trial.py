"""How a run on the author's machine reads in the terminal."""

from __future__ import annotations

from typing import Any

from envyard.commands.info import show_measures
from envyard.commands.show import number
from envyard.output import Output


def show_trial(trial: dict[str, Any], out: Output) -> None:
    """Tasks, each probe's rewards, and the card that the hub gave the report."""
    tasks = trial["facts"].get("tasks") or []
    out.line(f"{len(tasks)} tasks loaded; {len(trial['rollouts'])} rollouts, {trial['outcome']}")
    for row in trial["probes"]:
        failed = f", {row['failed']} failed" if row["failed"] else ""
        rewards = " ".join(number(reward) for reward in row["rewards"])
        out.line(f"  {row['policy']:<8} mean {number(row['mean'])} n={row['n']}{failed}: {rewards}")
        for error in row["errors"][:3]:
            out.line(f"      {error}", "red")
    card = trial.get("card")
    if isinstance(card, dict):
        show_measures(card.get("measures", []), out)
