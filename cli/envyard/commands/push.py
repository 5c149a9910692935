"""`hub push`: build, upload through twine, then follow the version until it is decided."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from envyard import config as configs
from envyard.builder import wheel_of
from envyard.client import Hub
from envyard.commands.follow import follow
from envyard.commands.show import show_finding, split_unreadable
from envyard.contract import wheel as wheels
from envyard.contract.names import BadName, Ref, canonical_version, check_owner, normalise
from envyard.errors import ApiError, HubCliError, Rejected, UsageError
from envyard.hub_checks import examine_for
from envyard.output import Output
from envyard.upload import upload


def register(commands: Any, common: ArgumentParser) -> None:
    """Add push."""
    push = commands.add_parser(
        "push", parents=[common], help="publish an environment and follow it until it is listed"
    )
    push.add_argument(
        "path",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="PATH|WHEEL",
        help="a folder with a pyproject.toml (default: this one), or a built wheel",
    )
    push.add_argument("--owner", help="publish under this user or organisation (default: you)")
    push.add_argument(
        "--private", action="store_true", help="visible to the owner and its members only"
    )
    push.add_argument("--no-wait", action="store_true", help="return after the upload")
    push.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Exit 0 when listed (or uploaded with --no-wait), 3 when rejected, 4 when held."""
    hub = Hub(configs.load(args.url))
    if not hub.token:
        raise ApiError(401, "request.unauthenticated", "you are not signed in", "Run `hub login`.")
    owner = owner_of(args.owner) if args.owner else hub.get("whoami/")["user"]
    if args.path.is_dir():
        out.note(f"Building {args.path}", "dim")
    with wheel_of(args.path) as path:
        refuse_early(hub, path, out)
        ref = reference(owner, path)
        if args.private:
            make_private(hub, ref)
        out.note(f"Uploading {path.name} to {hub.url} as {ref}", "dim")
        message = upload(path, f"{hub.url}/legacy/{owner}/", hub.token)
    out.note(message, "dim")
    if args.no_wait:
        detail = hub.version(ref)
        if out.as_json:
            out.json(detail)
        out.note(f"{ref} is {detail['status']}: {detail['url']}")
        out.hint(f"follow it: hub info {ref}")
        return
    follow(hub, ref, out)


def owner_of(text: str) -> str:
    """The owner's name as the hub writes it; raises UsageError with the rule."""
    try:
        return check_owner(text.lower())
    except BadName as exc:
        raise UsageError(str(exc), "See the names you may use: hub whoami") from exc


def refuse_early(hub: Hub | None, path: Path, out: Output) -> None:
    """Run the hub's static checks here, so that a bad wheel costs no upload."""
    findings, unchecked = split_unreadable(examine_for(hub, path)[0])
    for reason in unchecked:
        out.note(f"not checked: {reason}", "yellow")
    errors = [f for f in findings if f.severity == "error"]
    for finding in findings:
        show_finding(finding, out)
    if errors:
        raise Rejected(
            f"{path.name} would be refused: {errors[0].message}", errors[0].hint, errors[0].code
        )


def reference(owner: str, path: Path) -> Ref:
    """owner/name==version, with name and version from the wheel's METADATA."""
    wheel = wheels.read(path)
    return Ref(owner, normalise(wheel.metadata.name), canonical_version(wheel.metadata.version))


def make_private(hub: Hub, ref: Ref) -> None:
    """Make the environment private before its first bytes arrive; refuse to hide a public one."""
    environment = hub.post(
        "environments/", {"owner": ref.owner, "name": ref.name, "visibility": "private"}
    )
    if environment["visibility"] != "private":
        raise HubCliError(
            f"{ref.owner}/{ref.name} is public already", "Push without --private, or rename it."
        )
