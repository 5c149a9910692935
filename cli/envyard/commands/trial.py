"""Output of a run on the author's machine."""

from __future__ import annotations

from typing import Any

from envyard.commands.info import show_measures
from envyard.commands.show import number
from envyard.output import Output

LINES = 8  # of a rollout's traceback
ENVIRONMENT = "/venv/environment/"  # where the sandbox has the wheel's own files


def show_trial(trial: dict[str, Any], out: Output) -> None:
    """Print the task count, each probe's rewards, and the card that the hub computed."""
    tasks = trial["facts"].get("tasks") or []
    out.line(f"{len(tasks)} tasks loaded; {len(trial['rollouts'])} rollouts, {trial['outcome']}")
    printed: set[str] = set()
    for row in trial["probes"] if trial["rollouts"] else ():
        failed = f", {row['failed']} failed" if row["failed"] else ""
        rewards = " ".join(number(reward) for reward in row["rewards"])
        out.line(f"  {row['policy']:<8} mean {number(row['mean'])} n={row['n']}{failed}: {rewards}")
        for error in row["errors"][:3]:
            show_error(error, out, traceback=error["message"] not in printed)
            printed.add(error["message"])
    card = trial.get("card")
    if isinstance(card, dict):
        show_measures(card.get("measures", []), out)


def show_error(error: dict[str, Any], out: Output, *, traceback: bool) -> None:
    """Print an error of a probe's rollouts, and the end of its traceback."""
    out.line(f"      task {error['task']}: {error['message']} ({error['n']} rollouts)", "red")
    for line in excerpt(error["traceback"]) if traceback else ():
        out.line(f"      | {line}", "dim")


def excerpt(traceback: str) -> list[str]:
    """The environment's own last frame with the exception it ends in, else the last lines."""
    lines = traceback.strip("\n").splitlines()
    frames = [at for at, line in enumerate(lines) if line.startswith(f'  File "{ENVIRONMENT}')]
    if not frames:
        return lines[-LINES:]
    block = lines[frames[-1] :]
    if "" in block:  # a chained exception follows
        block = block[: block.index("")]
    return block if len(block) <= LINES else [*block[: LINES - 2], "    ...", block[-1]]
