"""`hub quota`: an owner's limits on storage, uploads and queued versions, and their usage."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any
from urllib.parse import quote

from envyard import config as configs
from envyard.client import Hub
from envyard.output import Output

GIB, MIB = 1 << 30, 1 << 20


def register(commands: Any, common: ArgumentParser) -> None:
    """Add quota."""
    command = commands.add_parser(
        "quota", parents=[common], help="show storage, queue and upload limits"
    )
    command.add_argument("owner", nargs="?", help="an organisation of yours (default: you)")
    command.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Print one line for each limit."""
    hub = Hub(configs.load(args.url))
    owner = args.owner or hub.get("whoami/")["user"]
    quota = hub.get(f"owners/{quote(owner, safe='')}/quota/")
    if out.as_json:
        out.json(quota)
        return
    used, limits = quota["usage"], quota["limits"]
    rows = [
        ("storage", _size(used["storage_bytes"]), _size(limits["storage_bytes"])),
        ("queued versions", str(used["queued_versions"]), str(limits["queued_versions"])),
    ]
    if args.owner is None or used["uploads_per_hour"]:
        rows.append(
            ("uploads per hour", str(used["uploads_per_hour"]), str(limits["uploads_per_hour"]))
        )
    out.table((quota["owner"].upper(), "USED", "LIMIT"), rows)


def _size(count: int) -> str:
    if count >= GIB:
        return f"{count / GIB:.1f} GiB"
    return f"{count / MIB:.1f} MiB" if count >= MIB else f"{count} B"
