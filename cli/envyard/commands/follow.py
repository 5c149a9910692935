"""Follow a version live until the hub has decided about it."""

from __future__ import annotations

import time
from typing import Any

from envyard.client import Hub, environment_path
from envyard.commands.show import lost_text, show_finding, waits
from envyard.contract.findings import Finding
from envyard.contract.names import Ref
from envyard.errors import Held, Rejected
from envyard.output import Output

PACE_SECONDS = 1.0
DECIDED = ("listed", "rejected", "held")
ABOUT = {"preparing": "its dependencies are fetched"}  # where nothing is counted yet


def follow(hub: Hub, ref: Ref, out: Output) -> None:
    """Show each step, finding and the rollouts' progress; raises Rejected or Held."""
    path = f"{environment_path(ref)}versions/{ref.version}/"
    status, shown, lost, warned = "", 0, 0, False
    while True:
        detail = hub.get(path)
        findings = [Finding.from_dict(f) for f in detail["findings"]]
        if detail["status"] != status:
            status = detail["status"]
            out.note(f"{ref} is {status}" if status in DECIDED else f"{status} ...", "bold")
        for finding in findings[shown:]:
            show_finding(finding, out)
        shown = len(findings)
        if status in DECIDED:
            conclude(ref, detail, findings, out)
            return
        run = detail.get("run") or {}
        if status == "evaluating" and run:
            where = waits(run) or ABOUT.get(run["status"], "")
            what = f"run {run['status']}, {where}" if where else f"run {run['status']}"
            for attempt in run.get("lost_attempts", [])[lost:]:
                out.note(f"{lost_text(attempt)}; another follows", "yellow")
                lost += 1
            if deserted(run) and not warned:
                out.note("No runner that can do it is present: the run waits for one.", "yellow")
                warned = True
            out.progress(what, run["done"], run["total"])
        time.sleep(PACE_SECONDS)


def deserted(run: dict[str, Any]) -> bool:
    """Whether it waits and no runner is there to take it."""
    return bool(run.get("queue")) and run["queue"]["runners"] == 0


def conclude(ref: Ref, detail: dict[str, Any], findings: list[Finding], out: Output) -> None:
    """Say how it ended: the page, and for anything but `listed` why and what next."""
    if out.as_json:
        out.json(detail)
    if detail["status"] == "listed":
        out.note(f"Listed: {detail['url']}", "green")
        out.hint(f"install it: hub install {ref}")
        return
    errors = [f for f in findings if f.severity == "error"]
    why = errors[0].message if errors else "see its page"
    hint = errors[0].hint if errors else ""
    run = detail.get("run")
    log = f" The log: hub logs {run['id']}" if run else ""
    if detail["status"] == "rejected":
        raise Rejected(
            f"{ref} was rejected: {why} ({detail['url']})",
            f"{hint} Then raise the version and push again.{log}".strip(),
            errors[0].code if errors else "cli.rejected",
        )
    if run and run["status"] == "cancelled":
        raise Held(
            f"{ref} is held, its run was cancelled ({detail['url']})",
            f"Have it evaluated after all: hub runs retry {run['id']}",
            "run.cancelled",
        )
    raise Held(
        f"the hub could not decide about {ref}: {why} ({detail['url']})",
        f"This is not your environment's fault. Retry it: hub retry {ref}.{log}",
        errors[0].code if errors else "cli.held",
    )
