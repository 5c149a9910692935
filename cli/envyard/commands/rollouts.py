"""`hub rollouts list` and `export`: the rollouts of a run, as a table or as training data."""

from __future__ import annotations

import json
import secrets
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from envyard import config as configs
from envyard.client import Hub
from envyard.commands.show import number, run_of, version_ref_of
from envyard.errors import HubCliError
from envyard.output import Output

ALL = 1 << 31


def register(commands: Any, common: ArgumentParser) -> None:
    """Add rollouts list and rollouts export."""
    rollouts = commands.add_parser("rollouts", help="list or export the rollouts of a run")
    subcommands = rollouts.add_subparsers(dest="rollouts_command", metavar="COMMAND", required=True)
    listing = subcommands.add_parser("list", parents=[common], help="list rollouts")
    _add_filters(listing)
    listing.add_argument(
        "--limit", type=int, default=100, help="maximum number of rollouts (default 100)"
    )
    listing.set_defaults(run=run_list)
    export = subcommands.add_parser(
        "export", parents=[common], help="write rollouts as training data"
    )
    _add_filters(export)
    export.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="the file to write"
    )
    export.add_argument(
        "--format",
        choices=("jsonl", "parquet"),
        default="jsonl",
        help="the format of the file (default jsonl)",
    )
    export.set_defaults(run=run_export)


def _add_filters(parser: ArgumentParser) -> None:
    parser.add_argument(
        "target",
        metavar="owner/name==version|RUN",
        help="a run's id, or a version (its card's run, else its last)",
    )
    parser.add_argument("--policy", help="only of this policy")
    parser.add_argument("--task", type=int, help="only of this task, counted from 0")
    parser.add_argument("--failed", action="store_true", help="only those that failed")


def run_list(args: Namespace, out: Output) -> None:
    """Print one line for each rollout, in the order of their ends."""
    hub = Hub(configs.load(args.url))
    run = _run(hub, args.target)
    rows = list(hub.pages(f"runs/{run}/rollouts/", limit=args.limit, **_filters(args)))
    if out.as_json:
        out.json(rows)
        return
    if not rows:
        filtered = args.policy or args.task is not None or args.failed
        out.note(f"run {run} has no {'such rollouts' if filtered else 'rollouts yet'}")
        return
    out.table(
        ("ROLLOUT", "REWARD", "AGAIN", "TURNS", "TOKENS", "SECONDS", "STOP"),
        [
            (
                f"{r['policy']}/{r['task']}/{r['attempt']}",
                number(r["reward"]) if r["ok"] else "failed",
                _replay_reward(r["replay"]),
                r["turns"],
                r["usage"]["prompt_tokens"] + r["usage"]["completion_tokens"],
                number(r["seconds"]),
                _stop_reason(r),
            )
            for r in rows
        ],
    )
    out.hint(f"read one: {rows[0]['url']}")


def _stop_reason(row: dict[str, Any]) -> str:
    """The error in one line, else the framework's stop condition."""
    error = row["error"]
    return f"{error['type']}: {error['message']}"[:160] if error else str(row["stop"])


def _replay_reward(replay: dict[str, Any] | None) -> str:
    """The reward of the replay; empty where there was none."""
    if replay is None or replay["left_out"]:
        return ""
    return "failed" if replay["error"] else number(replay["reward"])


def run_export(args: Namespace, out: Output) -> None:
    """Write the rows page by page; the file is renamed to its name once it is complete."""
    hub = Hub(configs.load(args.url))
    run = _run(hub, args.target)
    attempt = hub.get(f"runs/{run}/")["attempt"]
    rows = hub.pages(f"runs/{run}/samples/", limit=ALL, **_filters(args))
    with _draft(args.output) as draft:
        if args.format == "parquet":
            from envyard.parquet import write  # pyarrow is large, and not always there

            count = write(rows, draft)
        else:
            count = _write_lines(rows, draft)
        if hub.get(f"runs/{run}/")["attempt"] != attempt:
            raise HubCliError(f"run {run} was started again during the export", "Export it again.")
        draft.replace(args.output)
    if out.as_json:
        out.json({"run": str(run), "file": str(args.output), "rollouts": count})
    out.note(f"Wrote {count} rollouts of run {run} to {args.output}")


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """A new file beside the target with an unpredictable name; deleted afterwards unless it was
    renamed."""
    path = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        path.open("xb").close()
    except OSError as error:
        raise HubCliError(
            f"{target} cannot be written: {error.strerror}", "Name another file with -o."
        ) from error
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _write_lines(rows: Iterator[dict[str, Any]], target: Path) -> int:
    count = 0
    with target.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def _filters(args: Namespace) -> dict[str, Any]:
    ok = "false" if args.failed else None
    return {"policy": args.policy, "task": args.task, "ok": ok}


def _run(hub: Hub, target: str) -> UUID:
    """The run with that id; of a version the run of its card, else its last run."""
    if "/" not in target:
        return run_of(target)
    version = hub.version(version_ref_of(target))
    decided, last = version["card"], version["run"]
    if not decided and not last:
        raise HubCliError(f"{target} has no runs yet", "It is evaluated once it has been checked.")
    return UUID(decided["run"] if decided else last["id"])
