"""`hub open`: show a page of the hub in a browser."""

from __future__ import annotations

import webbrowser
from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub
from envyard.commands.arguments import add_ref
from envyard.contract.names import Ref, parse_ref
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add open."""
    command = commands.add_parser(
        "open", parents=[common], help="open the page of the hub, an environment or a version"
    )
    add_ref(command, versions=True, nargs="?")
    command.add_argument("--print", action="store_true", help="print the address alone")
    command.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Print the page's address, and open it unless --print or --json is given."""
    hub = Hub(configs.load(args.url))
    url = page(hub, parse_ref(args.ref)) if args.ref else f"{hub.url}/"
    if out.as_json:
        out.json({"url": url})
        return
    out.line(url)
    if not args.print and not webbrowser.open(url):
        out.note("no browser was found: open the address yourself", "yellow")


def page(hub: Hub, ref: Ref) -> str:
    """The address of a version's page where the reference names one, else of the environment's."""
    url: str = hub.version(ref)["url"]
    return url if ref.version else f"{hub.url}/envs/{ref.owner}/{ref.name}/"
