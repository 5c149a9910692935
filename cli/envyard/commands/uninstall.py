"""`hub uninstall`: remove environments from the active Python environment."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import installer
from envyard.contract.names import BadName, check_name, parse_ref
from envyard.errors import UsageError
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add uninstall."""
    uninstall = commands.add_parser("uninstall", parents=[common], help="remove environments")
    uninstall.add_argument("refs", nargs="+", metavar="owner/name", help="the environment")
    uninstall.add_argument("--python", help="remove from this interpreter instead")
    uninstall.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Remove by name; the dependencies stay."""
    names = [name_of(text) for text in args.refs]
    installer.uninstall(installer.target_python(args.python), names, quiet=out.as_json)
    if out.as_json:
        out.json(names)
    out.note(f"Removed {', '.join(names)}")


def name_of(text: str) -> str:
    """The distribution's name from `owner/name` or `name`."""
    try:
        return parse_ref(text).name if "/" in text else check_name(text)
    except BadName as exc:
        raise UsageError(str(exc)) from exc
