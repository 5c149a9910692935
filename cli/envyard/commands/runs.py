"""`hub runs list`, `show`, `watch` and `retry`: the evaluations of an environment."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, environment_path
from envyard.commands.arguments import add_ref
from envyard.commands.evaluate import conclude, follow
from envyard.commands.model_results import add_prices, reader_costs, show_models
from envyard.commands.show import (
    duration,
    local_time,
    lost_text,
    queue_text,
    ref_of,
    run_of,
    score_text,
    shards_text,
    show_finding,
    suite_text,
)
from envyard.contract.findings import Finding
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add runs list, show, watch and retry."""
    runs = commands.add_parser("runs", help="list an environment's runs, show, watch or retry one")
    subcommands = runs.add_subparsers(dest="runs_command", metavar="COMMAND", required=True)
    listing = subcommands.add_parser("list", parents=[common], help="list an environment's runs")
    add_ref(listing)
    listing.add_argument(
        "--limit", type=int, default=20, help="maximum number of runs (default 20)"
    )
    listing.set_defaults(run=run_list)
    show = subcommands.add_parser("show", parents=[common], help="show a run")
    show.add_argument("run_id", metavar="RUN", help="a run's id, from `hub runs list`")
    add_prices(show)
    show.set_defaults(run=run_show)
    watch = subcommands.add_parser(
        "watch", parents=[common], help="show a run's place in the queue and progress until it ends"
    )
    watch.add_argument("run_id", metavar="RUN", help="a run's id, from `hub eval --no-wait`")
    watch.set_defaults(run=run_watch)
    retry = subcommands.add_parser(
        "retry", parents=[common], help="queue a new run in place of a cancelled or held one"
    )
    retry.add_argument("run_id", metavar="RUN", help="a run's id, from `hub runs list`")
    retry.set_defaults(run=run_retry)


def run_list(args: Namespace, out: Output) -> None:
    """Print one line for each run, newest first."""
    ref = ref_of(args.ref)
    hub = Hub(configs.load(args.url))
    rows = list(hub.pages(f"{environment_path(ref)}runs/", limit=args.limit))
    if out.as_json:
        out.json(rows)
        return
    if not rows:
        out.note(f"{ref} has no runs yet")
        return
    out.table(
        ("RUN", "VERSION", "STATUS", "ROLLOUTS", "STARTED", "TOOK", "SCORES"),
        [
            (
                r["id"],
                r["version"],
                r["status"],
                f"{r['done']}/{r['total']}",
                local_time(r["started_at"]),
                duration(r["started_at"], r["ended_at"]),
                "; ".join(score_text(s, r["model"]) for s in r["scores"]),
            )
            for r in rows
        ],
    )
    out.hint(f"read one's log: hub logs {rows[0]['id']}")


def run_show(args: Namespace, out: Output) -> None:
    """Print the run's state, times, facts, scores and findings."""
    run = Hub(configs.load(args.url)).get(f"runs/{run_of(args.run_id)}/")
    if args.prices:
        run["costs"] = reader_costs(run.get("models", []), args.prices)
    if out.as_json:
        out.json(run)
        return
    facts = run["facts"]
    rows = [
        ("run", run["id"]),
        ("version", f"{run['environment']}=={run['version']}"),
        ("status", run["status"]),
        ("waits", queue_text(run)),
        ("attempt", run["attempt"]),
        ("policies", ", ".join(run["policies"])),
        ("model", run["model"]),
        ("suite", suite_text(run)),
        ("rollouts", f"{run['done']}/{run['total']} of {run['tasks']} tasks, seed {run['seed']}"),
        ("tasks", run["named_tasks"]),
        ("shards", shards_text(run)),
        ("queued", local_time(run["created_at"])),
        ("took", duration(run["started_at"], run["ended_at"])),
        ("runner", run["runner"] or ""),
        ("sandbox", facts.get("sandbox", "")),
        ("framework", facts.get("framework_version", "")),
        ("page", run["url"]),
    ]
    for label, value in rows:
        if value:
            out.line(f"{label:<10} {value}")
    for attempt in run.get("lost_attempts", ()):
        counts = "counts against the limit" if attempt["counted"] else "does not count"
        out.line(f"  {lost_text(attempt)} ({counts})")
    for shard in run.get("shards", ()):
        place = f" on {shard['runner']}, attempt {shard['attempt']}" if shard["runner"] else ""
        out.line(
            f"  tasks {shard['first_task']} to {shard['last_task']}: {shard['status']}{place}, "
            f"{shard['done']} rollouts, hub logs {shard['id']}"
        )
    for score in run["scores"]:
        failed = f", {score['failed']} failed" if score["failed"] else ""
        out.line(f"  {score_text(score, run.get('model', ''))}{failed}")
    show_models(run.get("models", []), out, run.get("costs", ()))
    for row in run["findings"]:
        show_finding(Finding.from_dict(row), out)
    if run["ended_at"]:
        out.hint(f"read its rollouts: hub rollouts list {run['id']}")
    else:
        out.hint(f"follow its log: hub logs -f {run['id']}; end it: hub cancel {run['id']}")


def run_watch(args: Namespace, out: Output) -> None:
    """Follow the run, then print its scores; the exit code is that of `hub eval`."""
    hub = Hub(configs.load(args.url))
    conclude(follow(hub, str(run_of(args.run_id)), out), out)


def run_retry(args: Namespace, out: Output) -> None:
    """Queue a new run in the place of one without a result."""
    queued = Hub(configs.load(args.url)).post(f"runs/{run_of(args.run_id)}/retry/")
    if out.as_json:
        out.json(queued)
    out.note(
        f"Run {queued['id']} of {queued['version']} is {queued['status']}: {queue_text(queued)}"
    )
    out.hint(f"follow its log: hub logs -f {queued['id']}")
