"""Poll a version until the hub has listed, rejected or held it."""

from __future__ import annotations

import time
from typing import Any

from envyard.client import Hub, environment_path
from envyard.commands.show import lost_text, queue_text, resumption, show_finding
from envyard.contract.findings import Finding
from envyard.contract.names import Ref
from envyard.errors import Held, Rejected
from envyard.output import Output

POLL_SECONDS = 1.0
DECIDED = ("listed", "rejected", "held")
ACTIVITY = {"preparing": "fetching dependencies"}  # of a status without a rollout count


def follow(hub: Hub, ref: Ref, out: Output) -> None:
    """Show each step, finding and the rollouts' progress; raises Rejected or Held.

    Findings are shown below the status that follows from them: a reply can contain those of a
    verdict beside the status before it.
    """
    path = f"{environment_path(ref)}versions/{ref.version}/"
    status, step, shown_count, lost_count, warned = "", "", 0, 0, False
    began = time.monotonic()
    while True:
        detail = hub.get(path)
        findings = [Finding.from_dict(f) for f in detail["findings"]]
        if detail["status"] != status:
            status = detail["status"]
            out.note(f"{ref} is {status}" if status in DECIDED else f"{status} ...", "bold")
            for finding in findings[shown_count:]:
                show_finding(finding, out)
            shown_count = len(findings)
        if status in DECIDED:
            conclude(ref, detail, findings, out)
            return
        run = detail.get("run") or {}
        if status == "evaluating" and run:
            position = queue_text(run) or ACTIVITY.get(run["status"], "")
            label = f"run {run['status']}, {position}" if position else f"run {run['status']}"
            if run["status"] != step:
                step, began = run["status"], time.monotonic()
            for attempt in run.get("lost_attempts", [])[lost_count:]:
                out.note(f"{lost_text(attempt)}; another follows", "yellow")
                lost_count += 1
            if has_no_runner(run) and not warned:
                out.note("No live runner can execute the run; it stays queued.", "yellow")
                warned = True
            out.progress(f"{label}{elapsed(began)}", run["done"], run["total"])
        time.sleep(POLL_SECONDS)


def elapsed(began: float) -> str:
    """How long ago that was, as it stands behind the name of a step: `, 1 min 20 s`."""
    minutes, seconds = divmod(int(time.monotonic() - began), 60)
    return f", {minutes} min {seconds} s" if minutes else f", {seconds} s"


def has_no_runner(run: dict[str, Any]) -> bool:
    """Whether the run is queued and no live runner can execute it."""
    return bool(run.get("queue")) and run["queue"]["runners"] == 0


def conclude(ref: Ref, detail: dict[str, Any], findings: list[Finding], out: Output) -> None:
    """Print the page of a listed version; raise Rejected or Held with reason and next step."""
    if out.as_json:
        out.json(detail)
    if detail["status"] == "listed":
        out.note(f"Listed: {detail['url']}", "green")
        out.hint(f"install it: hub install {ref}")
        return
    errors = [f for f in findings if f.severity == "error"]
    reason = errors[0].message if errors else "see its page"
    hint = errors[0].hint if errors else ""
    run = detail.get("run")
    log = f" The log: hub logs {run['id']}" if run else ""
    if detail["status"] == "rejected":
        raise Rejected(
            f"{ref} was rejected: {reason} ({detail['url']})",
            f"{hint} Then raise the version and push again.{log}".strip(),
            errors[0].code if errors else "cli.rejected",
        )
    if run and run["status"] == "cancelled":
        raise Held(
            f"{ref} is held, its run was cancelled ({detail['url']})",
            f"Evaluate it again: hub runs retry {run['id']}",
            "run.cancelled",
        )
    if requirements := detail.get("requirements"):
        raise Held(
            f"{ref} is held: {' '.join(each['message'] for each in requirements)} "
            f"({detail['url']})",
            " ".join([*(each["hint"] for each in requirements), resumption(requirements)]).strip(),
            requirements[0]["state"].replace("_", ".", 1),
        )
    raise Held(
        f"the hub could not decide about {ref}: {reason} ({detail['url']})",
        f"This is not your environment's fault. Retry it: hub retry {ref}.{log}",
        errors[0].code if errors else "cli.held",
    )
