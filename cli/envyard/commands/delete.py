"""`hub delete`: a version, or an environment with all its versions, for good."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, environment_path, version_path
from envyard.commands.show import ref_of
from envyard.contract.names import Ref
from envyard.errors import UsageError
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add delete."""
    delete = commands.add_parser(
        "delete", parents=[common], help="delete a version or an environment for good"
    )
    delete.add_argument("ref", metavar="owner/name[==version]")
    delete.add_argument("--yes", metavar="REF", help="the same once more, instead of being asked")
    delete.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Delete it once its name was said twice."""
    ref = ref_of(args.ref)
    confirm(ref, args.ref, args.yes, out)
    hub = Hub(configs.load(args.url))
    hub.delete(version_path(ref) if ref.version else environment_path(ref))
    if out.as_json:
        out.json({"deleted": str(ref)})
    out.note(f"Deleted {ref}; its versions and files never return")


def confirm(ref: Ref, text: str, said: str | None, out: Output) -> None:
    """Raise UsageError unless the same was said again, as it was written or as the hub has it."""
    if said is None and sys.stdin.isatty() and not out.as_json:
        out.note(f"This deletes {ref} for good. Nobody can bring it back.", "yellow")
        print(f"Type {ref} to go on: ", end="", file=out.err, flush=True)
        said = sys.stdin.readline()
    if said is None or said.strip() not in (text, str(ref)):
        raise UsageError(f"{ref} was not confirmed", f"Deleting is final: add --yes {ref}")
