"""`hub eval`: evaluate a model on a listed version by one of its suites, and follow the run; with
`--local` in this machine's sandbox."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub, version_path
from envyard.commands import local_evaluate
from envyard.commands.follow import ACTIVITY, POLL_SECONDS, has_no_runner
from envyard.commands.show import (
    lost_text,
    queue_text,
    ref_of,
    score_text,
    shards_text,
    show_finding,
    suite_text,
)
from envyard.contract.findings import Finding
from envyard.contract.names import Ref
from envyard.contract.suite import FULL
from envyard.errors import Held, HubCliError, Rejected
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add eval."""
    command = commands.add_parser(
        "eval", parents=[common], help="evaluate a model on a listed version"
    )
    command.add_argument(
        "ref", metavar="owner/name[==version]",
        help="default: the latest version; with --local also a wheel or an environment's folder",
    )  # fmt: skip
    command.add_argument(
        "-m", "--model", required=True, help="the name under which a runner or server serves it"
    )
    command.add_argument("--suite", default=FULL, help=f"a suite's name (default {FULL})")
    command.add_argument("--no-wait", action="store_true", help="return once the run is queued")
    local_evaluate.add_options(command)
    command.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Exit 0 with a result, 3 where the environment failed, 4 where there is none."""
    if args.local:
        local_evaluate.run(args, out)
        return
    local_evaluate.refuse_without_local(args)
    hub = Hub(configs.load(args.url))
    ref = latest(hub, ref_of(args.ref))
    path = f"{version_path(ref)}evaluations/"
    row = hub.post(path, {"model": args.model, "suite": args.suite})
    out.note(f"Run {row['id']} of {ref} is {row['status']}: suite {suite_text(row)}", "bold")
    if args.no_wait:
        if out.as_json:
            out.json(row)
        out.hint(f"follow it: hub runs watch {row['id']}; end it: hub cancel {row['id']}")
        return
    conclude(follow(hub, row["id"], out), out)


def latest(hub: Hub, ref: Ref) -> Ref:
    """The ref with the version that `hub install` would take, where it names none."""
    if ref.version is not None:
        return ref
    return Ref(ref.owner, ref.name, hub.version(ref)["version"])


def follow(hub: Hub, run_id: str, out: Output) -> dict[str, Any]:
    """Show each step and the rollouts' progress; the run once it has ended."""
    status, lost_count, warned = "", 0, False
    while True:
        row: dict[str, Any] = hub.get(f"runs/{run_id}/")
        if row["ended_at"]:
            return row
        if row["status"] != status:
            status = row["status"]
            place = queue_text(row)
            out.note(f"{status}, {place} ..." if place else f"{status} ...", "dim")
        for attempt in row.get("lost_attempts", [])[lost_count:]:
            out.note(f"{lost_text(attempt)}; another follows", "yellow")
            lost_count += 1
        if has_no_runner(row) and not warned:
            out.note("No live runner can execute the run; it stays queued.", "yellow")
            warned = True
        position = queue_text(row) or shards_text(row) or ACTIVITY.get(status, "")
        label = f"run {status}, {position}" if position else f"run {status}"
        out.progress(label, row["done"], row["total"])
        time.sleep(POLL_SECONDS)


def conclude(row: dict[str, Any], out: Output) -> None:
    """Print scores and findings; raise Rejected or Held where the run has no result."""
    if out.as_json:
        out.json(row)
    else:
        for score in row["scores"]:
            failed = f", {score['failed']} failed" if score["failed"] else ""
            out.line(f"{score_text(score, row['model'])}{failed}")
        for item in row["findings"]:
            show_finding(Finding.from_dict(item), out)
    if row["status"] == "succeeded":
        out.note(f"Succeeded: {row['url']}", "green")
        out.hint(f"read its rollouts: hub rollouts list {row['id']}")
        return
    errors = [item for item in row["findings"] if item["severity"] == "error"]
    reason = errors[0]["message"] if errors else "see its page"
    code = errors[0]["code"] if errors else "cli.held"
    message = f"the run {row['status']}: {reason} ({row['url']})"
    if row["status"] == "failed":
        raise Rejected(message, f"The log: hub logs {row['id']}", code)
    if row["status"] == "cancelled":
        raise HubCliError(message, f"Request it again: hub runs retry {row['id']}", "run.cancelled")
    raise Held(message, f"Request it again: hub runs retry {row['id']}", code)
