"""Output of findings, scores and times, the same in every command."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID

from envyard.contract.detect import UNREADABLE
from envyard.contract.findings import Finding
from envyard.contract.job import MODEL
from envyard.contract.names import BadName, Ref, parse_ref
from envyard.errors import UsageError
from envyard.output import Output, safe

MARK = {"error": ("✗", "red"), "warning": ("!", "yellow"), "info": ("·", "dim")}
STATUS_COLOUR = {
    "listed": "green",
    "succeeded": "green",
    "pass": "green",
    "rejected": "red",
    "failed": "red",
    "fail": "red",
    "errored": "yellow",
    "held": "yellow",
    "warn": "yellow",
}


def ref_of(text: str) -> Ref:
    """A reference from the command line; raises UsageError with the rule."""
    try:
        return parse_ref(text)
    except BadName as exc:
        raise UsageError(str(exc), "For example: alice/reverse-text==0.1.0") from exc


def version_ref_of(text: str) -> Ref:
    """A reference with a version from the command line; raises UsageError."""
    ref = ref_of(text)
    if ref.version is None:
        raise UsageError(f"{ref} names no version", f"For example: {ref}==0.1.0")
    return ref


def run_of(text: str) -> UUID:
    """A run's id from the command line; raises UsageError."""
    try:
        return UUID(text)
    except ValueError as exc:
        raise UsageError(f"{text!r} is not a run's id", "See: hub runs list owner/name") from exc


def number(value: float | None, digits: int = 3) -> str:
    """A number without trailing zeros, or a dash."""
    return "-" if value is None else f"{value:.{digits}f}".rstrip("0").rstrip(".")


def interval(mean: float | None, low: float | None, high: float | None) -> str:
    """`0.52 [0.41, 0.63]`, the interval left out where there is none."""
    if mean is None or low is None or high is None:
        return number(mean)
    return f"{number(mean)} [{number(low)}, {number(high)}]"


def score_text(score: dict[str, Any] | None, model: str = "") -> str:
    """`policy mean [low, high] n=8`, or a dash; the policy `model` by the name of the run's."""
    if not score:
        return "-"
    policy = model if model and score["policy"] == MODEL else score["policy"]
    return f"{policy} {interval(score['mean'], score['low'], score['high'])} n={score['n']}"


def suite_text(run: dict[str, Any]) -> str:
    """`smoke (1a2b3c4d5e6f)`: the run's suite with the start of its digest; empty without one."""
    suite = run.get("suite")
    return f"{suite['name']} ({suite['digest'][:12]})" if suite else ""


def percent(share: float | None) -> str:
    """A share as `60 %`, or a dash."""
    return "-" if share is None else f"{number(100 * share, 1)} %"


def local_time(stamp: str | None) -> str:
    """An ISO time as `2026-11-21 10:15`, local to this machine."""
    if not stamp:
        return "-"
    return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M")


def local_clock_time(stamp: str) -> str:
    """An ISO time as `10:15:30`, local to this machine."""
    return datetime.fromisoformat(stamp).astimezone().strftime("%H:%M:%S")


def duration(start: str | None, end: str | None) -> str:
    """Seconds between two ISO times, the end being now where there is none yet."""
    if not start:
        return "-"
    last = datetime.fromisoformat(end) if end else datetime.now(UTC)
    return f"{(last - datetime.fromisoformat(start)).total_seconds():.0f}s"


def queue_text(run: dict[str, Any]) -> str:
    """A queued run's position; empty for any other run, and where the hub sends none."""
    position = run.get("queue")
    if not position:
        return ""
    if run.get("not_before"):
        reason = "".join(f": {lost_text(attempt)}" for attempt in run.get("lost_attempts", [])[-1:])
        return f"waits until {local_clock_time(run['not_before'])} for its next attempt{reason}"
    runners = f"{position['runners']} live runner{'' if position['runners'] == 1 else 's'}"
    return f"number {position['before'] + 1} of {position['waiting']} in the queue, {runners}"


def lost_text(attempt: dict[str, Any]) -> str:
    """One line on an attempt that ended early."""
    message = " ".join(safe(attempt["message"]).split())
    return f"attempt {attempt['attempt']} on {attempt['runner']} ended early: {message}"


def resumption(requirements: list[dict[str, Any]]) -> str:
    """What follows once all that a held version lacks is provided; empty where the hub cannot see
    that it is."""
    automatic = all(row.get("automatic", True) for row in requirements)
    return "The hub evaluates it again once all of that is provided." if automatic else ""


def indented(text: str) -> str:
    """The text with its later lines indented: an environment's message forms no line of the
    command's own."""
    return "\n    ".join(text.splitlines())


def show_finding(
    finding: Finding, out: Output, *, traceback_lines: int = 40, hub_url: str = ""
) -> None:
    """Print one finding: mark, code, message, the traceback's last lines, its hint, and with
    `hub_url` the page of that hub's documentation on the code.

    Prints nothing with --json: the command's document holds the finding.
    """
    if out.as_json:
        return
    sign, colour = MARK[finding.severity]
    location = f" [{finding.where}]" if finding.where else ""
    out.line(f"{sign} {finding.code}{location}: {indented(finding.message)}", colour)
    for text in traceback_of(finding, traceback_lines):
        out.line(f"    | {text}", "dim")
    if finding.hint and finding.severity != "info":
        out.line(f"    {indented(finding.hint)}", "dim")
    if hub_url and finding.severity != "info":
        out.line(f"    {hub_url}/docs/findings/{quote(finding.code, safe='')}/", "dim")


def split_unreadable(findings: list[Finding]) -> tuple[list[Finding], list[str]]:
    """The findings, and the checks of a wheel that this machine's older Python cannot make."""
    unreadable = [item.message for item in findings if item.code == UNREADABLE]
    others = [item for item in findings if item.code != UNREADABLE]
    return others, [f"the environment's code: {message}" for message in unreadable]


def traceback_of(finding: Finding, limit: int) -> list[str]:
    """The last lines of the finding's traceback, marked where lines are left out."""
    traceback = finding.details.get("traceback")
    lines = traceback.strip("\n").splitlines() if isinstance(traceback, str) else []
    if len(lines) <= limit:
        return lines
    return [f"... ({len(lines) - limit} lines before)", *lines[-limit:]] if limit else []


def shards_text(run: dict[str, Any]) -> str:
    """How many shards of a run have ended; empty for a run that is not split."""
    rows = run.get("shards") or ()
    ended = ("succeeded", "failed", "errored", "cancelled")
    count = sum(row["status"] in ended for row in rows)
    return f"{count} of {len(rows)} shards ended" if rows else ""
