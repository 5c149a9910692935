"""`hub check`: build the wheel and run the static checks the hub runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from envyard.builder import wheel_of
from envyard.commands.show import show_finding
from envyard.contract.examine import examine
from envyard.errors import Rejected
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add check."""
    check = commands.add_parser(
        "check", parents=[common], help="build an environment and check it as the hub would"
    )
    check.add_argument("path", nargs="?", type=Path, default=Path(), metavar="PATH|WHEEL")
    check.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Print every finding; exit 3 where the hub would refuse the wheel."""
    if args.path.is_dir():
        out.note(f"Building {args.path}", "dim")
    with wheel_of(args.path) as wheel:
        name, (findings, _) = wheel.name, examine(wheel)
    errors = sum(f.severity == "error" for f in findings)
    if out.as_json:
        out.json({"wheel": name, "ok": not errors, "findings": [f.to_dict() for f in findings]})
    else:
        for finding in findings:
            show_finding(finding, out)
    if errors:
        raise Rejected(
            f"{name}: {errors} error{'s' if errors > 1 else ''}",
            "Mend what is named above, then check again.",
            "cli.check_failed",
        )
    out.note(f"{name}: no errors", "green")
    out.hint(f"publish it: hub push {args.path}")
