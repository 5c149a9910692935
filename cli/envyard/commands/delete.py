"""`hub delete`: permanently delete a version, or an environment with all its versions."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, environment_path, version_path
from envyard.commands.arguments import add_ref
from envyard.commands.show import ref_of
from envyard.contract.names import Ref
from envyard.errors import UsageError
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add delete."""
    delete = commands.add_parser(
        "delete", parents=[common], help="permanently delete a version or an environment"
    )
    add_ref(delete, versions=True)
    delete.add_argument(
        "--yes", metavar="REF", help="confirm by repeating the name, without a prompt"
    )
    delete.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Delete it after the name was confirmed."""
    ref = ref_of(args.ref)
    confirm(ref, args.ref, args.yes, out)
    hub = Hub(configs.load(args.url))
    hub.delete(version_path(ref) if ref.version else environment_path(ref))
    if out.as_json:
        out.json({"deleted": str(ref)})
    out.note(f"Deleted {ref}; its versions and file names cannot be used again")


def confirm(ref: Ref, text: str, confirmation: str | None, out: Output) -> None:
    """Raise UsageError unless `confirmation`, or the answer to a prompt, repeats the name, as
    written or as the hub spells it."""
    if confirmation is None and sys.stdin.isatty() and not out.as_json:
        out.note(f"This deletes {ref} permanently. It cannot be undone.", "yellow")
        print(f"Type {ref} to confirm: ", end="", file=out.err, flush=True)
        confirmation = sys.stdin.readline()
    if confirmation is None or confirmation.strip() not in (text, str(ref)):
        raise UsageError(f"{ref} was not confirmed", f"Deletion is permanent: add --yes {ref}")
