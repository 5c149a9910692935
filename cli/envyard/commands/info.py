"""`hub info`: one environment or version with its measured card."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.card.sources import SOURCES
from envyard.client import Hub
from envyard.commands.arguments import add_ref
from envyard.commands.model_results import add_prices, reader_costs, show_models
from envyard.commands.show import (
    STATUS_COLOUR,
    indented,
    interval,
    local_time,
    number,
    ref_of,
    resumption,
    score_text,
    show_finding,
)
from envyard.contract.findings import Finding, is_requirement
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add info."""
    info = commands.add_parser(
        "info", parents=[common], help="show an environment, its status, card and findings"
    )
    add_ref(info, versions=True)
    add_prices(info)
    info.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Print the named version, or the latest listed one."""
    hub = Hub(configs.load(args.url))
    version = hub.version(ref_of(args.ref))
    if args.prices:
        card = version["card"] or {}
        card["costs"] = reader_costs(card.get("models", []), args.prices)
    if out.as_json:
        out.json(version)
        return
    out.line(f"{version['ref']}  {version['status']}")
    if version["summary"]:
        out.line(f"  {version['summary']}")
    for label, value in facts(version):
        out.line(f"  {label:<11} {indented(value)}")
    if failure := version.get("no_longer_passes"):
        out.line(
            f"\ndoes not pass any more: measured again {local_time(failure['concluded_at'])} by "
            f"rules {failure['rules']}, run {failure['run']}",
            STATUS_COLOUR["fail"],
        )
        out.line(f"  {indented(failure['summary'])}")
    show_needs(version, out)
    show_scores(version, out)
    show_card(version, out)
    findings = [Finding.from_dict(row) for row in version["findings"]]
    if findings := [finding for finding in findings if not is_requirement(finding.code)]:
        out.line("\nFindings")
        for finding in findings:
            show_finding(finding, out, hub_url=hub.url)
    if version["status"] == "listed":
        out.hint(f"install it: hub install {version['ref']}")


def facts(version: dict[str, Any]) -> list[tuple[str, str]]:
    """The label and value of each fact that the version has."""
    yanked, deprecated = version["yanked"], version["deprecated"]
    rows = [
        ("framework", f"{version['framework']} {version['api']}".strip()),
        ("module", version["module"]),
        ("python", version["requires_python"]),
        ("licence", version["license"]),
        ("tags", ", ".join(version["keywords"])),
        ("uploaded", f"{local_time(version['uploaded_at'])} by {version['uploaded_by']}"),
        ("listed", local_time(version["listed_at"]) if version["listed_at"] else ""),
        ("yanked", f"{local_time(yanked['at'])} {yanked['reason']}" if yanked else ""),
        ("deprecated", deprecation(deprecated) if deprecated else ""),
        ("hosts", ", ".join(version.get("hosts", []))),
        ("data sets", ", ".join(map(data_set, version.get("data_sets", [])))),
        ("from git", ", ".join(map(git_dependency, version.get("git_dependencies", [])))),
        ("sha256", version["file"]["sha256"]),
        ("page", version["url"]),
    ]
    return [(label, value) for label, value in rows if value]


def show_needs(version: dict[str, Any], out: Output) -> None:
    """What a held version lacked, else what the version needs; a hub may send neither."""
    for requirement in version.get("requirements", []):
        state = requirement["state"]
        out.line(f"\n{state}: {indented(requirement['message'])}", STATUS_COLOUR["held"])
        out.line(f"  {indented(requirement['hint'])}")
    if version.get("requirements"):
        if text := resumption(version["requirements"]):
            out.line(text)
    elif version.get("needs"):
        out.line("\nNeeds")
        for need in version["needs"]:
            out.line(f"  {indented(need['sentence'])}")


def data_set(row: dict[str, Any]) -> str:
    """The name, licence and commit of a data set."""
    notes = [row["licence"] or "no licence named", *(["gated"] if row["gated"] else [])]
    return f"{row['name']} at {row['commit'][:12]} ({', '.join(notes)})"


def git_dependency(row: dict[str, Any]) -> str:
    """The name, repository and commit of a git dependency, and its archive's sha256."""
    folder = f" ({row['subdirectory']})" if row["subdirectory"] else ""
    where = f"{row['repository']}{folder} at {row['commit'][:12]}"
    return f"{row['name']} of {where}, archive sha256 {row['sha256']}"


def deprecation(deprecated: dict[str, Any]) -> str:
    """The reason of a deprecation, and the successor."""
    successor_text = f"; use {deprecated['successor']['ref']}" if deprecated["successor"] else ""
    return f"{local_time(deprecated['at'])} {deprecated['reason']}{successor_text}"


def show_scores(version: dict[str, Any], out: Output) -> None:
    """Each policy's score of the last run."""
    run = version["run"]
    if not run:
        return
    model = f", model {run['model']}" if run["model"] else ""
    count = f"{run['done']}/{run['total']} rollouts"
    out.line(f"\nLast run {run['id']} {run['status']} {count}{model}")
    for score in run["scores"]:
        failed = f", {score['failed']} failed" if score["failed"] else ""
        out.line(f"  {score_text(score, run.get('model', ''))}{failed}")


def show_card(version: dict[str, Any], out: Output) -> None:
    """Each measure with its status, value, interval and threshold."""
    card = version["card"]
    if not card:
        return
    show_measures(card["measures"], out)
    if card.get("measured_at"):
        out.line(f"  measured {local_time(card['measured_at'])} by rules {card['rules']}", "dim")
    show_models(card.get("models", []), out, card.get("costs", ()))


def show_measures(measures: list[dict[str, Any]], out: Output) -> None:
    """One line for each measure with the source of its number, and the detail of a failure or
    warning."""
    out.line("\nCard")
    for measure in measures:
        value = interval(measure["value"], measure["low"], measure["high"])
        unit = f" {measure['unit']}" if measure["unit"] else ""
        threshold = measure["threshold"]
        bound = (
            f" (threshold {number(threshold)})"
            if isinstance(threshold, int | float)
            else f" ({threshold})"
            if threshold
            else ""
        )
        status, source = measure["status"], measure.get("source", "")
        mark = f", {source}" if source else ""
        out.line(f"  {status:<7} {measure['title']}: {value}{unit}{bound}{mark}")
        if status in ("fail", "warn") and measure["detail"]:
            out.line(f"          {measure['detail']}", STATUS_COLOUR[status])
    show_sources(measures, out)


def show_sources(measures: list[dict[str, Any]], out: Output) -> None:
    """One line that says what the marks of sources mean; a hub may send none."""
    given = {measure.get("source") for measure in measures}
    if words := [f"{row.mark}: {row.words}" for row in SOURCES.values() if row.code in given]:
        out.line(f"  {'; '.join(words)}", "dim")
