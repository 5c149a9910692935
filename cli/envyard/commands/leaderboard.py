"""`hub leaderboard`, `hub compare` and `hub regression`: models and versions, paired."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, version_path
from envyard.commands.evaluate import latest
from envyard.commands.show import interval, number, ref_of, run_of
from envyard.contract.suite import FULL
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add leaderboard, compare and regression."""
    board = commands.add_parser(
        "leaderboard", parents=[common], help="rank the models on a version by a suite"
    )
    regression = commands.add_parser(
        "regression", parents=[common], help="compare a version with the one before it, by model"
    )
    for command, run in ((board, run_leaderboard), (regression, run_regression)):
        command.add_argument("ref", metavar="owner/name[==version]")
        command.add_argument("--suite", default=FULL, help=f"a suite's name (default {FULL})")
        command.set_defaults(run=run)
    compare = commands.add_parser(
        "compare", parents=[common], help="compare two runs on the same tasks and attempts"
    )
    compare.add_argument("run_id", metavar="RUN", help="a run's id")
    compare.add_argument("other", metavar="OTHER", help="the run that it is compared with")
    compare.set_defaults(run=run_compare)


def run_leaderboard(args: Namespace, out: Output) -> None:
    """Print one line for each model; equal ranks are ties."""
    board = _get(args, "leaderboard")
    if out.as_json:
        out.json(board)
        return
    ref = f"{board['environment']}=={board['version']}"
    out.note(f"{ref}, suite {board['suite']['name']} ({board['suite']['digest'][:12]})", "bold")
    if not board["verified"]:
        out.note("No model has a result yet.")
        out.hint(f"evaluate one: hub eval {ref} -m MODEL --suite {board['suite']['name']}")
        return
    out.table(
        ("RANK", "MODEL", "MEAN", "ROLLOUTS", "TO THE FIRST OF ITS RANK OR THE ONE BEFORE", "RUN"),
        [
            (
                str(row["rank"]),
                row["model"],
                interval(row["score"]["mean"], row["score"]["low"], row["score"]["high"]),
                str(row["score"]["n"]),
                comparison_text(row["difference"]),
                row["run"],
            )
            for row in board["verified"]
        ],
    )
    out.note("Measured by this hub. Equal ranks are ties: their paired difference may be 0.", "dim")
    for row in board["suspect_tasks"]:
        value = f"{number(row['discrimination'])}, at most {number(row['high'])}"
        out.note(f"task {row['task']}: suspect label, weak models do better ({value})", "yellow")
    if len(board["verified"]) > 1:
        first, second = board["verified"][:2]
        out.hint(f"compare two: hub compare {first['run']} {second['run']}")


def run_regression(args: Namespace, out: Output) -> None:
    """Print one line for each model that was measured on both versions."""
    report = _get(args, "regression")
    if out.as_json:
        out.json(report)
        return
    ref = f"{report['environment']}=={report['version']}"
    if not report["previous"]:
        out.note(f"No version was listed before {ref}.")
        return
    out.note(f"{ref} minus {report['previous']}, suite {report['suite']['name']}", "bold")
    if not report["models"]:
        out.note("No model was measured on both.")
        return
    out.table(
        ("MODEL", "DIFFERENCE"),
        [(row["first"]["model"], comparison_text(row["comparison"])) for row in report["models"]],
    )


def run_compare(args: Namespace, out: Output) -> None:
    """Print the paired difference; exit 1 where the runs do not compare."""
    path = f"runs/{run_of(args.run_id)}/comparison/{run_of(args.other)}/"
    row = Hub(configs.load(args.url)).get(path)
    if out.as_json:
        out.json(row)
        return
    for side in ("first", "second"):
        out.line(f"{side:<8} {row[side]['model']} on {row[side]['version']}  {row[side]['run']}")
    out.line(f"suite    {row['suite']}")
    out.line(f"first minus second: {comparison_text(row['comparison'])}")
    if left := row["comparison"]["left_out"]:
        out.note(f"{left} rollouts have no partner of the same task and attempt.", "yellow")
    if row["comparison"]["method"]:
        out.note(f"95 % interval: {row['comparison']['method']}", "dim")


def comparison_text(row: dict[str, Any] | None) -> str:
    """`0.25 [0.1, 0.4] 12 won, 3 tied, 5 lost of 20 tasks`; a dash without one."""
    if not row:
        return "-"
    if row["difference"] is None:
        return "no shared task"
    difference = interval(row["difference"], row["low"], row["high"])
    counts = f"{row['wins']} won, {row['ties']} tied, {row['losses']} lost of {row['tasks']} tasks"
    return f"{difference} {counts}"


def _get(args: Namespace, what: str) -> dict[str, Any]:
    hub = Hub(configs.load(args.url))
    ref = latest(hub, ref_of(args.ref))
    answer: dict[str, Any] = hub.get(f"{version_path(ref)}{what}/", suite=args.suite)
    return answer
