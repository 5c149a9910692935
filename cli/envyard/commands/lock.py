"""`hub lock`: a version and its dependencies as a requirements file with hashes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any
from urllib.parse import quote

from envyard import config as configs
from envyard.client import Hub, version_path
from envyard.commands.arguments import add_ref
from envyard.commands.info import data_set, git_dependency
from envyard.commands.install import archive_of, chosen, needs_login, wheel_of
from envyard.commands.show import ref_of
from envyard.contract.lock import BadLock, Pin, parse, render
from envyard.contract.names import parse_ref
from envyard.errors import HubCliError
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add lock."""
    lock = commands.add_parser(
        "lock", parents=[common], help="print a version's locked dependencies with hashes"
    )
    add_ref(lock, versions=True)
    lock.add_argument("--platform", help="the platform, where the hub ran it on several")
    lock.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Print a requirements file for `uv pip install --no-deps --require-hashes -r`, or pip's."""
    hub = Hub(configs.load(args.url))
    version = chosen(hub, ref_of(args.ref))
    path = f"{version_path(parse_ref(version['ref']))}locks/"
    platform = _platform(args.platform, hub.get(path)["results"], version["ref"])
    lock = hub.get(f"{path}{quote(platform, safe='')}/")
    data_sets, sources = version.get("data_sets", []), version.get("git_dependencies", [])
    if out.as_json:
        shown = {
            "ref": version["ref"],
            "file": version["file"],
            "data_sets": data_sets,
            "card": _signature(version),
        }
        out.json({**lock, **shown, "git_dependencies": sources})
        return
    pins = _pins(lock["text"])
    lines = [_comment(f"{version['ref']} on {platform}, resolved {lock['made_at'][:10]}")]
    if signature := _signature(version):
        # `hub card verify --lock` reads this line.
        lines.append(
            _comment(
                f"card of {version['ref']}: statement sha256 {signature['sha256']}, key "
                f"{signature['keyid']}, {signature['url']}"
            )
        )
    texts = [f"reads {data_set(row)}: hub data {version['ref']} --to DIR" for row in data_sets]
    lines += map(_comment, texts)
    if needs_login(version):
        out.note(
            f"its wheel needs a login: install it afterwards with `hub install {version['ref']}`"
        )
    else:
        wheel = wheel_of(version)
        lines.append(_hashed(f"{wheel.name} @ {wheel.url}", wheel.sha256))
        for row in sources:
            archive = archive_of(row)
            lines.append(_comment(git_dependency(row)))
            lines.append(_hashed(archive.requirement, archive.sha256))
    for line in [*lines, *render(pins).splitlines()]:
        out.line(line)
    # A lock has archives in place of repositories, and leaves out what no environment imports.
    options = "--no-deps --require-hashes"
    out.hint(f"hub lock {version['ref']} > env.txt && uv pip install {options} -r env.txt")


def _signature(version: dict[str, Any]) -> dict[str, Any] | None:
    """The newest signed statement about the version's card; a hub may have none, and send none."""
    signature: dict[str, Any] | None = (version.get("card") or {}).get("signature")
    return signature


def _pins(text: str) -> tuple[Pin, ...]:
    try:
        return parse(text)
    except BadLock as error:
        raise HubCliError(
            f"the hub's lock is invalid: {error}", "Report it to the hub's operator."
        ) from error


def _hashed(requirement: str, sha256: str) -> str:
    return f"{requirement} \\\n    --hash=sha256:{sha256}"


def _comment(text: str) -> str:
    """The text on one line, whatever line breaks the hub's values have."""
    return " ".join(f"# {text}".split())


def _platform(requested: str | None, locks: list[dict[str, Any]], ref: str) -> str:
    platforms = [str(lock["platform"]) for lock in locks]
    if requested in platforms:
        return str(requested)
    if not platforms:
        raise HubCliError(f"{ref} has no lock yet", "Its first run makes one: hub info " + ref)
    if requested is None and len(platforms) == 1:
        return platforms[0]
    problem = (
        "was run on several platforms" if requested is None else f"has no lock for {requested!r}"
    )
    raise HubCliError(f"{ref} {problem}", f"Name one with --platform: {', '.join(platforms)}")
