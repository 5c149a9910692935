"""`hub yank` and `hub unyank`: exclude a version from new installs, and undo it (PEP 592)."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, version_path
from envyard.commands.show import version_ref_of
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add yank and unyank."""
    yank = commands.add_parser(
        "yank", parents=[common], help="exclude a version from new installs; exact pins still work"
    )
    yank.add_argument("ref", metavar="owner/name==version", help="the version")
    yank.add_argument(
        "--reason", required=True, help="the reason, shown to everybody who installed it"
    )
    yank.set_defaults(run=run_yank)
    unyank = commands.add_parser("unyank", parents=[common], help="undo a yank")
    unyank.add_argument("ref", metavar="owner/name==version", help="the version")
    unyank.set_defaults(run=run_unyank)


def run_yank(args: Namespace, out: Output) -> None:
    """Yank it with the reason given."""
    ref = version_ref_of(args.ref)
    hub = Hub(configs.load(args.url))
    version = hub.post(f"{version_path(ref)}yank/", {"reason": args.reason})
    if out.as_json:
        out.json(version)
    out.note(f"Yanked {version['ref']}: {version['yanked']['reason']}")
    out.hint(f"undo it: hub unyank {version['ref']}")


def run_unyank(args: Namespace, out: Output) -> None:
    """Undo the yank."""
    ref = version_ref_of(args.ref)
    version = Hub(configs.load(args.url)).delete(f"{version_path(ref)}yank/")
    if out.as_json:
        out.json(version)
    out.note(f"{version['ref']} is not yanked any more")
