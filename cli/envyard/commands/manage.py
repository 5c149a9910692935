"""`hub deprecate`, `undeprecate`, `transfer` and `visibility`: what an environment's owner sets."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, environment_path
from envyard.commands.arguments import add_ref
from envyard.commands.show import ref_of
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add deprecate, undeprecate, transfer and visibility."""
    deprecate = commands.add_parser(
        "deprecate", parents=[common], help="discourage new use of an environment"
    )
    add_ref(deprecate)
    deprecate.add_argument("--reason", required=True, help="why, as its page shows it")
    deprecate.add_argument("--successor", metavar="owner/name", help="what to use instead")
    deprecate.set_defaults(run=run_deprecate)
    undeprecate = commands.add_parser("undeprecate", parents=[common], help="undo a deprecation")
    add_ref(undeprecate)
    undeprecate.set_defaults(run=run_undeprecate)
    transfer = commands.add_parser(
        "transfer", parents=[common], help="give an environment to another owner"
    )
    add_ref(transfer)
    transfer.add_argument(
        "owner", metavar="OWNER", help="the new owner, under whom you may publish"
    )
    transfer.set_defaults(run=run_transfer)
    visibility = commands.add_parser(
        "visibility", parents=[common], help="make an environment public or private"
    )
    add_ref(visibility)
    visibility.add_argument(
        "visibility", choices=("public", "private"), help="public, or private to its members"
    )
    visibility.set_defaults(run=run_visibility)


def run_deprecate(args: Namespace, out: Output) -> None:
    """Deprecate it; a second call replaces reason and successor."""
    hub, path = hub_and_path(args)
    body = {"reason": args.reason, "successor": args.successor or ""}
    environment = print_json(hub.post(f"{path}deprecate/", body), out)
    successor = environment["deprecated"]["successor"]
    successor_text = f"; use {successor['ref']}" if successor else ""
    out.note(
        f"Deprecated {environment['ref']}: {environment['deprecated']['reason']}{successor_text}"
    )


def run_undeprecate(args: Namespace, out: Output) -> None:
    """Remove the deprecation."""
    hub, path = hub_and_path(args)
    environment = print_json(hub.delete(f"{path}deprecate/"), out)
    out.note(f"{environment['ref']} is not deprecated any more")


def run_transfer(args: Namespace, out: Output) -> None:
    """Move it; the old name redirects to the new one."""
    hub, path = hub_and_path(args)
    environment = print_json(hub.post(f"{path}transfer/", {"owner": args.owner}), out)
    out.note(f"{args.ref} is {environment['ref']} now; its old name redirects there")


def run_visibility(args: Namespace, out: Output) -> None:
    """Make it public or private, all its versions with it."""
    hub, path = hub_and_path(args)
    environment = print_json(hub.patch(path, {"visibility": args.visibility}), out)
    out.note(f"{environment['ref']} is {environment['visibility']}")


def hub_and_path(args: Namespace) -> tuple[Hub, str]:
    """The hub and the environment's path there."""
    return Hub(configs.load(args.url)), environment_path(ref_of(args.ref))


def print_json(environment: dict[str, Any], out: Output) -> dict[str, Any]:
    """Print the environment with --json; returns it."""
    if out.as_json:
        out.json(environment)
    return environment
