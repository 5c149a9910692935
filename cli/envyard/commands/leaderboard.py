"""`hub leaderboard`, `hub compare` and `hub regression`: models and versions, paired."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any
from urllib.parse import urlencode

from envyard import config as configs
from envyard.client import Hub, version_path
from envyard.commands.arguments import add_ref
from envyard.commands.evaluate import latest
from envyard.commands.show import indented, interval, number, ref_of
from envyard.contract.suite import FULL
from envyard.errors import UsageError
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add leaderboard, compare and regression."""
    board = commands.add_parser(
        "leaderboard",
        parents=[common],
        help="rank the models on a version, or on several environments, by a suite",
    )
    add_ref(board, versions=True, nargs="*")
    board.set_defaults(run=run_leaderboard)
    regression = commands.add_parser(
        "regression", parents=[common], help="compare a version with the one before it, by model"
    )
    add_ref(regression, versions=True)
    regression.set_defaults(run=run_regression)
    for command in (board, regression):
        command.add_argument("--suite", default=FULL, help=f"a suite's name (default {FULL})")
        command.add_argument(
            "--digest",
            default="",
            help="how the suite's digest begins: an earlier definition of the name",
        )
    compare = commands.add_parser(
        "compare",
        parents=[common],
        help="compare runs, pushed evaluations or versions by task",
    )
    compare.add_argument(
        "run_id", metavar="RUN", help="the id of a run or pushed evaluation, or a version"
    )
    compare.add_argument("other", metavar="OTHER", help="what it is compared with, likewise")
    compare.set_defaults(run=run_compare)


def run_leaderboard(args: Namespace, out: Output) -> None:
    """Print one line for each model; equal ranks are ties. Of several environments, or none, the
    models on each of them."""
    if len(args.ref) != 1:
        run_across(args, out)
        return
    board = _get(args, args.ref[0], "leaderboard")
    if out.as_json:
        out.json(board)
        return
    ref = f"{board['environment']}=={board['version']}"
    out.note(f"{ref}, suite {board['suite']['name']} ({board['suite']['digest'][:12]})", "bold")
    if not board["verified"]:
        out.note("No model has a result yet.")
        _note_other_definitions(board, out)
        out.hint(f"evaluate one: hub eval {ref} -m MODEL --suite {board['suite']['name']}")
        return
    out.table(
        ("RANK", "MODEL", "MEAN", "ROLLOUTS", "TO THE FIRST OF ITS RANK OR THE ONE BEFORE", "RUN"),
        [
            (
                "-" if row["rank"] is None else str(row["rank"]),
                row["model"],
                interval(row["score"]["mean"], row["score"]["low"], row["score"]["high"]),
                str(row["score"]["n"]),
                comparison_text(row["difference"]),
                row["run"],
            )
            for row in board["verified"]
        ],
    )
    out.note(f"One answer to every task would earn: {_constant_text(board['constant'])}")
    out.note("Measured by this hub. Equal ranks are ties: their paired difference may be 0.", "dim")
    tasks = board["ranked_tasks"]
    out.note(f"Order and ranks are over the {tasks} tasks that all ranked models have.", "dim")
    if board["more_models"]:
        out.note(f"{board['more_models']} more models have a result, with lower means.")
    for row in board["suspect_tasks"]:
        value = f"correlation {number(row['discrimination'])}, chance {number(row['false_share'])}"
        out.note(f"task {row['task']}: suspect label, weak models do better ({value})", "yellow")
    if disputed := board.get("disputed_labels"):
        out.note(f"{disputed['code']}: {indented(disputed['message'])}", "yellow")
        for row in disputed["tasks"]:
            count = f"{row['agreeing']} of {row['rollouts']} rollouts"
            out.note(f"task {row['task']}: {count} answer {row['answer']!r}, none is paid")
    if len(board["verified"]) > 1:
        first, second = board["verified"][:2]
        out.hint(f"compare two: hub compare {first['run']} {second['run']}")


def run_across(args: Namespace, out: Output) -> None:
    """Print one line for each model with its mean over the environments, then its means on each."""
    refs = [ref_of(text) for text in args.ref]
    if pinned := next((ref for ref in refs if ref.version is not None), None):
        raise UsageError(
            f"{pinned} names a version; across environments the latest listed one counts",
            f"Write {pinned.owner}/{pinned.name}",
        )
    names = ",".join(f"{ref.owner}/{ref.name}" for ref in refs)
    hub = Hub(configs.load(args.url))
    board = hub.get(
        "leaderboards/", suite=args.suite, digest=args.digest or None, environments=names or None
    )
    if out.as_json:
        out.json(board)
        return
    out.note(f"Suite {board['suite']['name']} ({board['suite']['digest'][:12]})", "bold")
    if not board["columns"]:
        out.note("No model has a result yet.")
        _note_other_definitions(board, out)
        return
    out.table(
        ("RANK", "MODEL", "MEAN", "TO THE FIRST OF ITS RANK OR THE ONE BEFORE", *_heads(board)),
        [
            (
                "-" if row["rank"] is None else str(row["rank"]),
                row["model"],
                _mean_text(row["mean"]),
                _mean_text(row["difference"]),
                *map(_cell_text, row["cells"]),
            )
            for row in board["verified"]
        ],
    )
    _note_means(board, out)


def _note_means(board: dict[str, Any], out: Output) -> None:
    """What the means are over, and what they lack."""
    compared = [column["environment"] for column in board["columns"] if column["in_mean"]]
    out.note(f"The mean is over {', '.join(compared)}; models without one lack some.", "dim")
    for column in board["columns"]:
        if column["left_out"]:
            out.note(f"{column['environment']} is in no mean: {column['left_out']}", "yellow")
    if board["more_models"]:
        out.note(f"{board['more_models']} more models have fewer results, or lower means.")
    if board["others"]:
        out.note(f"{len(board['others'])} more environments have results; name those to show.")


def _note_other_definitions(board: dict[str, Any], out: Output) -> None:
    for row in board["same_name"]:
        if row["has_results"]:
            out.note(
                f"There are results by rules version {row['rules']}: --digest {row['digest'][:12]}"
            )


def _heads(board: dict[str, Any]) -> list[str]:
    return [
        f"{column['environment']} {column['version']}, {_constant_head(column['constant'])}"
        for column in board["columns"]
    ]


def _constant_head(measure: dict[str, Any] | None) -> str:
    """`constant 0.25`: the number alone."""
    known = measure is not None and measure["value"] is not None
    return f"constant {number(measure['value']) if measure and known else 'unknown'}"


def _constant_text(measure: dict[str, Any] | None) -> str:
    """`0.25 [0.2, 0.31]` and where it comes from, or why it is unknown."""
    if measure is None:
        return "unknown (no run with probes)"
    value = interval(measure["value"], measure["low"], measure["high"])
    return f"{'unknown' if measure['value'] is None else value} ({measure['detail']})"


def _mean_text(row: dict[str, Any] | None) -> str:
    return interval(row["value"], row["low"], row["high"]) if row else "-"


def _cell_text(cell: dict[str, Any]) -> str:
    """`0.5 n=40`, or why there is no result."""
    if cell["score"]:
        return f"{number(cell['score']['mean'])} n={cell['score']['n']}"
    return f"only on {cell['other_version']}" if cell["other_version"] else "no result"


def run_regression(args: Namespace, out: Output) -> None:
    """Print one line for each model that was measured on both versions."""
    report = _get(args, args.ref, "regression")
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
    if report["more_models"]:
        out.note(f"{report['more_models']} more models have a result on both.")


def run_compare(args: Namespace, out: Output) -> None:
    """Print the paired difference; exit 1 where the sides do not compare."""
    query = urlencode({"first": args.run_id, "second": args.other})
    row = Hub(configs.load(args.url)).get(f"compare/?{query}")
    if out.as_json:
        out.json(row)
        return
    for name in ("first", "second"):
        side = row[name]
        pushed = "  pushed, self-reported" if side["kind"] == "pushed" else ""
        out.line(f"{name:<8} {side['model']} on {side['version']}  {side['id']}{pushed}")
    out.line(f"suite    {row['first']['suite'] or row['second']['suite']}")
    out.line(f"first minus second: {comparison_text(row['comparison'])}")
    for note in row["notes"]:
        out.note(note, "yellow")
    if left := row["comparison"]["left_out"]:
        out.note(f"{left} rollouts have no partner of the same {row['paired_by']}.", "yellow")
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


def _get(args: Namespace, text: str, what: str) -> dict[str, Any]:
    hub = Hub(configs.load(args.url))
    ref = latest(hub, ref_of(text))
    answer: dict[str, Any] = hub.get(
        f"{version_path(ref)}{what}/", suite=args.suite, digest=args.digest or None
    )
    return answer
