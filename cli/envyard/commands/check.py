"""`hub check`: run the hub's checks before an upload."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envyard import config as configs
from envyard import hub_checks, local_run, needs_steps, resolve
from envyard.builder import wheel_of
from envyard.client import Hub
from envyard.commands.show import show_finding, split_unreadable
from envyard.commands.trial import show_trial
from envyard.contract import local_access
from envyard.contract import wheel as wheels
from envyard.contract.codes import CODES
from envyard.contract.detect import Detection
from envyard.contract.findings import Finding
from envyard.contract.git_requirements import git_requirements
from envyard.contract.local_access import OPTION_OF_NEED
from envyard.contract.names import normalise
from envyard.contract.needs.kinds import Need
from envyard.contract.values import text
from envyard.contract.wheel import Wheel
from envyard.errors import ApiError, Held, HubCliError, Rejected, UsageError
from envyard.needs_steps import Provided
from envyard.output import Output

HUB_CHECKS = "names, Pythons, framework releases and dependencies"


def register(commands: Any, common: ArgumentParser) -> None:
    """Add check."""
    check = commands.add_parser(
        "check", parents=[common], help="build an environment and check it as the hub would"
    )
    check.add_argument(
        "path",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="PATH|WHEEL",
        help="a folder with a pyproject.toml (default: this one), or a built wheel",
    )
    check.add_argument("--owner", default="", help="the owner to publish under (default: you)")
    check.add_argument(
        "--offline", action="store_true", help="use neither the hub nor the package index"
    )
    check.add_argument(
        "--run", dest="play", action="store_true", help="run the probes in this machine's sandbox"
    )
    local_access.add_options(check)
    check.set_defaults(run=run)


@dataclass(slots=True)
class Result:
    """The findings about one wheel, what was checked, and what was not checked and why."""

    wheel: str
    findings: list[Finding]
    checked: list[str] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)
    trial: dict[str, Any] | None = None
    needs: tuple[Need, ...] = ()
    ref: str = "OWNER/NAME"
    provided: Provided = field(default_factory=Provided)
    lacking: list[Finding] = field(default_factory=list)  # requirements of the run on this machine

    @property
    def errors(self) -> int:
        """The number of findings for which the hub would refuse the wheel."""
        return sum(item.severity == "error" for item in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The document of --json."""
        return {
            "wheel": self.wheel,
            "ok": not self.errors,
            "findings": [item.to_dict() for item in self.findings],
            "checked": self.checked,
            "not_checked": self.not_checked,
            "run": self.trial,
            "needs": [needs_steps.to_dict(need, self.provided, self.ref) for need in self.needs],
        }


def run(args: Namespace, out: Output) -> None:
    """Print every finding; exit 3 where the hub would refuse the wheel."""
    hub = None if args.offline else Hub(configs.load(args.url), tries=1)
    if args.play:
        local_run.require()
    options = run_options(args)
    if args.path.is_dir():
        out.note(f"Building {args.path}", "dim")
    with wheel_of(args.path) as path:
        findings, detected = hub_checks.examine_for(hub, path)
        findings, unchecked = split_unreadable(findings)
        result = Result(path.name, findings, not_checked=unchecked, needs=detected.needs)
        if not result.errors:
            wheel = wheels.read(path)
            result.ref = f"{args.owner or 'OWNER'}/{normalise(wheel.metadata.name)}"
            if hub is not None:
                check_with_hub(hub, path, wheel, detected, args.owner, result)
            git = ", ".join(row.name for row in git_requirements(wheel.metadata.requires_dist))
            if git:
                result.not_checked.append(f"{git} from git: the hub fetches it after a push")
            if args.play and git:
                result.not_checked.append("the run: a dependency comes from git")
            elif args.play and not result.errors:
                play(hub, path, wheel, args.owner, result, out, options)
        elif hub is not None:
            result.not_checked.append(f"{HUB_CHECKS}: the wheel itself has errors")
    show(result, hub, out)
    if result.errors:
        raise Rejected(
            f"{result.wheel}: {result.errors} error{'s' if result.errors > 1 else ''}",
            "Fix the errors above, then check again.",
            "cli.check_failed",
        )
    if result.lacking:
        raise lacks_requirements(result)
    if result.trial is not None and result.trial["outcome"] == "errored":
        raise Held(
            f"{result.wheel}: the probes could not run on this machine",
            "`hub-runner doctor` lists what is missing.",
            "cli.no_sandbox",
        )
    out.note(f"{result.wheel}: no errors", "green")
    out.hint(f"publish it: hub push {args.path}")


def run_options(args: Namespace) -> list[str]:
    """The options of what the run may have, for `hub-runner`; raises UsageError."""
    options = list(local_access.arguments(args))
    if options and not args.play:
        raise UsageError(
            f"{options[0].partition('=')[0]} is about a run on this machine", "Add --run."
        )
    try:
        local_access.read(args, os.environ)
    except local_access.BadOption as error:
        raise UsageError(str(error), "See: hub check --help") from None
    return options


def is_requirement(item: Finding) -> bool:
    """Whether it names what the run lacked from outside."""
    return item.code in CODES and CODES[item.code].fault == "requirement"


def lacks_requirements(result: Result) -> Held:
    """The error of a run that lacked what this machine can provide, with the options for it."""
    codes = dict.fromkeys(item.code for item in result.lacking)
    options = [OPTION_OF_NEED[code] for code in codes if code in OPTION_OF_NEED]
    hint = f"Provide it: hub check --run {' '.join(options)}" if options else ""
    return Held(f"{result.wheel}: it needs what its run did not have", hint, "cli.check_held")


def check_with_hub(
    hub: Hub, path: Path, wheel: Wheel, detected: Detection, owner: str, result: Result
) -> None:
    """Add the findings from the hub's Pythons, framework releases, index and names."""
    try:
        about = hub_checks.About.of(hub)
    except HubCliError as error:
        result.not_checked.append(
            f"{HUB_CHECKS}: {error.message}; see --url, or --offline to check without a hub"
        )
        return
    result.findings += hub_checks.python_findings(wheel, about)
    if not any(item.code == "env.framework_undriven" for item in result.findings):
        result.findings += hub_checks.framework_findings(wheel, detected, about)
    (result.checked if about.pythons else result.not_checked).append(
        "Pythons" if about.pythons else f"Pythons: {hub.url} has no live runner"
    )
    if about.releases:
        result.checked.append("framework releases")
    owner = check_names(hub, path, wheel, owner, result)
    if detected.needs:
        result.ref = f"{owner or 'OWNER'}/{normalise(wheel.metadata.name)}"
        result.provided = Provided.of(hub, about, owner, wheel.metadata.name)
    if result.errors:
        return
    try:
        result.findings += resolve.findings(wheel, detected, about)
        result.checked.append("dependencies")
    except resolve.NotResolved as error:
        result.not_checked.append(f"dependencies: {error}")


def check_names(hub: Hub, path: Path, wheel: Wheel, owner: str, result: Result) -> str:
    """Add the hub's findings about owner, name, version and file name, which needs a token; returns
    the owner that the hub would publish under, as far as it is known."""
    if not hub.token:
        result.not_checked.append("name and version: you are not signed in; run `hub login`")
        return owner
    try:
        answer = hub_checks.request_check(hub, path, wheel, owner=owner)
    except HubCliError as error:
        unknown = isinstance(error, ApiError) and error.status == 404
        reason = "this hub has no such check" if unknown else error.message
        result.not_checked.append(f"name and version: {reason}")
        return owner
    result.findings += hub_checks.findings_in(answer)
    result.checked.append("name and version")
    return text(answer.get("owner"), 100) or owner


def play(
    hub: Hub | None,
    path: Path,
    wheel: Wheel,
    owner: str,
    result: Result,
    out: Output,
    options: list[str],
) -> None:
    """Run the probes in this machine's sandbox; add the card that the hub computes from them."""
    out.note("Running the probes in the sandbox", "dim")
    trial = result.trial = local_run.play(path, options)
    if trial["outcome"] == "errored":
        findings = hub_checks.findings_in(trial)
        result.lacking = [item for item in findings if is_requirement(item)]
        if result.lacking:
            return
        messages = "; ".join(item.message for item in findings)
        result.not_checked.append(f"the run, which failed on this machine: {messages}")
        return
    result.findings += hub_checks.findings_in(trial)
    if trial["outcome"] != "succeeded":
        return
    if hub is None or not hub.token:
        reason = "--offline" if hub is None else "you are not signed in; run `hub login`"
        result.not_checked.append(f"the card: {reason}")
        return
    try:
        answer = hub_checks.request_check(
            hub, path, wheel, owner=owner, trial=local_run.card_input(trial)
        )
    except HubCliError as error:
        result.not_checked.append(f"the card: {error.message}")
        return
    card = trial["card"] = answer.get("card")
    if isinstance(card, dict):
        reported = {(item.code, item.where) for item in result.findings}
        result.findings += [
            item for item in hub_checks.findings_in(card) if (item.code, item.where) not in reported
        ]
        result.checked.append("the card")


def show(result: Result, hub: Hub | None, out: Output) -> None:
    """The findings and the probes' rewards as data; what was checked on stderr."""
    if out.as_json:
        if hub is None:
            result.not_checked.insert(0, f"{HUB_CHECKS}: --offline")
        out.json(result.to_dict())
        return
    if result.trial is not None:
        show_trial(result.trial, out)
    documented = hub.url if hub is not None else ""
    for item in [*result.findings, *result.lacking]:
        show_finding(item, out, hub_url=documented)
    for need in result.needs:
        out.line(f"{need.sentence} ({need.where})")
        out.line(f"  {needs_steps.next_step(need, result.provided, result.ref)}")
    if result.checked and hub is not None:
        out.note(f"Checked with {hub.url}: {', '.join(result.checked)}", "dim")
    for reason in result.not_checked:
        out.note(f"not checked: {reason}", "yellow")
