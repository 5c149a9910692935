"""`hub runs`: the evaluations of an environment."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, environment_path
from envyard.commands.show import lasted, ref_of, score_text, when
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add runs."""
    runs = commands.add_parser("runs", parents=[common], help="list an environment's runs")
    runs.add_argument("ref", metavar="owner/name")
    runs.add_argument("--limit", type=int, default=20, help="at most so many (default 20)")
    runs.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Print one line a run, newest first."""
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
                when(r["started_at"]),
                lasted(r["started_at"], r["ended_at"]),
                "; ".join(score_text(s) for s in r["scores"]),
            )
            for r in rows
        ],
    )
    out.hint(f"read one's log: hub logs {rows[0]['id']}")
