"""`hub init`: a working environment from a template."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from envyard import scaffold
from envyard.output import Output

DEFAULT_TEMPLATE = "single-turn"


def register(commands: Any, common: ArgumentParser) -> None:
    """Add init."""
    init = commands.add_parser(
        "init", parents=[common], help="create an environment from a template"
    )
    init.add_argument("name", help="its name, e.g. my-env")
    init.add_argument(
        "--template",
        default=DEFAULT_TEMPLATE,
        help=f"{', '.join(scaffold.templates())} (default: {DEFAULT_TEMPLATE})",
    )
    init.add_argument("--path", type=Path, help="where to write it (default: ./NAME)")
    init.add_argument("--description", default="", help="one line about it")
    init.add_argument("--author", default="", help="your name (default: git's user.name)")
    init.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Copy the template and print the next step."""
    names = scaffold.names_for(args.name, args.description, args.author)
    target = args.path or Path(names.name)
    written = scaffold.copy(args.template, target, names)
    if out.as_json:
        out.json({"name": names.name, "path": str(target), "files": [str(p) for p in written]})
        return
    out.note(f"Wrote {names.name} ({args.template}) to {target}", "green")
    for path in written:
        out.line(path)
    out.hint(f"check it, then publish it: hub check {target}, hub push {target}")
