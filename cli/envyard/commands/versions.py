"""`hub versions`: every version of an environment you may see."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, environment_path
from envyard.commands.arguments import add_ref
from envyard.commands.show import local_time, ref_of
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add versions."""
    versions = commands.add_parser(
        "versions", parents=[common], help="list the versions of an environment"
    )
    add_ref(versions)
    versions.add_argument(
        "--limit", type=int, default=50, help="maximum number of versions (default 50)"
    )
    versions.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Print one line for each version, newest first."""
    ref = ref_of(args.ref)
    hub = Hub(configs.load(args.url))
    rows = list(hub.pages(f"{environment_path(ref)}versions/", limit=args.limit))
    if out.as_json:
        out.json(rows)
        return
    if not rows:
        out.note(f"{ref} has no versions you may see")
        return
    out.table(
        ("VERSION", "STATUS", "UPLOADED", "NOTE"),
        [(r["version"], r["status"], local_time(r["uploaded_at"]), note(r)) for r in rows],
    )


def note(row: dict[str, Any]) -> str:
    """The version's overlay: yanked with its reason, quarantined, or empty."""
    if row["yanked"]:
        return f"yanked: {row['yanked']['reason']}".rstrip(": ")
    return "quarantined" if row["quarantined"] else ""
