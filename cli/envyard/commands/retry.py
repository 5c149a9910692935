"""`hub retry`: evaluate a held version again, and follow it; or measure a listed one again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, environment_path, version_path
from envyard.commands.arguments import add_ref
from envyard.commands.follow import follow
from envyard.commands.show import ref_of
from envyard.contract.names import Ref
from envyard.errors import HubCliError
from envyard.output import Output

MAX_VERSIONS = 100  # that are searched, the newest first


def register(commands: Any, common: ArgumentParser) -> None:
    """Add retry."""
    retry = commands.add_parser(
        "retry",
        parents=[common],
        help="evaluate a held version again, or measure a listed one again",
    )
    add_ref(retry, versions=True, help="the version; without one the newest held")
    retry.add_argument("--no-wait", action="store_true", help="return once the version is queued")
    retry.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Exit like `hub push`: 0 when listed, 3 when rejected, 4 when held again."""
    hub, ref = Hub(configs.load(args.url)), ref_of(args.ref)
    if ref.version is None:
        ref = newest_held(hub, ref)
    detail = hub.post(f"{version_path(ref)}retry/")
    if detail["status"] == "listed":
        _show_measurement(ref, detail, out)
        return
    out.note(f"{ref} is {detail['status']} again: {detail['url']}")
    if not args.no_wait:
        follow(hub, ref, out)
        return
    if out.as_json:
        out.json(detail)
    out.hint(f"follow it: hub info {ref}")


def _show_measurement(ref: Ref, detail: dict[str, Any], out: Output) -> None:
    """The run that measures the listed version again; its status stays as it is."""
    if out.as_json:
        out.json(detail)
        return
    out.note(f"{ref} stays listed and is measured again after other runs: {detail['url']}")
    if measurement := detail.get("remeasured"):
        out.hint(f"follow it: hub logs -f {measurement['run']}")


def newest_held(hub: Hub, ref: Ref) -> Ref:
    """The newest held version; raises HubCliError where none of the newest is held."""
    for row in hub.pages(f"{environment_path(ref)}versions/", limit=MAX_VERSIONS):
        if row["status"] == "held":
            return Ref(ref.owner, ref.name, row["version"])
    raise HubCliError(f"{ref} has no held version", f"See all: hub versions {ref}")
