"""`hub report`: report an environment to the hub's staff."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, environment_path
from envyard.commands.arguments import add_ref
from envyard.commands.show import ref_of
from envyard.output import Output

REASONS = ("malware", "secrets", "copyright", "broken", "spam", "other")


def register(commands: Any, common: ArgumentParser) -> None:
    """Add report."""
    report = commands.add_parser(
        "report", parents=[common], help="report an environment to the hub's staff"
    )
    add_ref(report, versions=True)
    report.add_argument("--reason", required=True, choices=REASONS, help="what is wrong with it")
    report.add_argument(
        "--text", required=True, help="what is wrong, where, and how staff can reproduce it"
    )
    report.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Send the report; without a version it covers all of them."""
    ref = ref_of(args.ref)
    body = {"reason": args.reason, "text": args.text, "version": ref.version or ""}
    report = Hub(configs.load(args.url)).post(f"{environment_path(ref)}report/", body)
    if out.as_json:
        out.json(report)
    out.note(f"Reported {ref} as {report['reason']}; its owner does not see your name")
