"""`hub install`: environments into the active Python environment, by immutable URL and sha256."""

from __future__ import annotations

import hashlib
import re
from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from envyard import config as configs
from envyard import installer
from envyard.client import Hub
from envyard.commands.show import ref_of
from envyard.contract.names import Ref
from envyard.errors import HubCliError, UsageError
from envyard.output import Output

RELEASE = re.compile(r"[a-z][a-z-]*==[0-9][0-9A-Za-z.]{0,39}")


def register(commands: Any, common: ArgumentParser) -> None:
    """Add install."""
    install = commands.add_parser(
        "install", parents=[common], help="install environments into the active environment"
    )
    install.add_argument("refs", nargs="+", metavar="owner/name[==version]")
    install.add_argument("--python", help="install for this interpreter")
    install.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Resolve through the API, then hand pinned requirements to uv or pip in one call.

    No second index is involved, so a name on PyPI can never stand in for an environment. Files
    behind a login are fetched here, so that our token never reaches the installer's arguments.
    """
    python = installer.target_python(args.python)
    hub = Hub(configs.load(args.url))
    versions = [chosen(hub, ref_of(text)) for text in args.refs]
    refuse_clashes(versions)
    with TemporaryDirectory(prefix="envyard-") as temporary:
        requirements = [pin(hub, version, Path(temporary)) for version in versions]
        archives = [
            archive(hub, version, row, Path(temporary))
            for version in versions
            for row in version.get("git_dependencies", [])
        ]
        installer.install(python, requirements, replaced=archives, quiet=out.as_json)
    if out.as_json:
        out.json([{k: v[k] for k in ("ref", "version", "module", "file")} for v in versions])
        return
    for version in versions:
        if version["yanked"]:
            out.note(f"{version['ref']} was yanked: {version['yanked']['reason']}", "yellow")
        if version["deprecated"]:
            out.note(
                f"{version['environment']} is deprecated: {version['deprecated']['reason']}",
                "yellow",
            )
        out.note(f"Installed {version['ref']}", "green")
        if release := framework_release(version):
            out.note(
                f"The hub runs it with {release}; `hub lock {version['ref']}` prints all pins",
                "dim",
            )
    out.hint(f'use it: python -c "import {versions[0]["module"]}"')


def framework_release(version: dict[str, Any]) -> str:
    """`verifiers==0.3.1`, which the version's last run had; empty where the hub gives none."""
    name, number = version.get("framework"), version.get("framework_version")
    if not isinstance(name, str) or not isinstance(number, str):
        return ""
    return f"{name}=={number}" if RELEASE.fullmatch(f"{name}=={number}") else ""


def chosen(hub: Hub, ref: Ref) -> dict[str, Any]:
    """The version to install: unlisted and yanked ones by exact pin alone (PEP 592), quarantined
    ones never."""
    version = hub.version(ref)
    if version["quarantined"]:
        raise HubCliError(
            f"{version['ref']} is quarantined by the hub's staff",
            f"Choose another version: hub versions {ref.owner}/{ref.name}",
        )
    if not ref.version and (version["status"] != "listed" or version["yanked"]):
        state = "yanked" if version["yanked"] else version["status"]
        raise HubCliError(
            f"{ref} has no installable version; its newest, {version['version']}, is {state}",
            f"Name that version to install it nevertheless: hub install {version['ref']}",
        )
    return version


def refuse_clashes(versions: list[dict[str, Any]]) -> None:
    """Raise UsageError where two owners' environments have one name: both are one distribution."""
    refs: dict[str, str] = {}
    for version in versions:
        name = version["environment"].partition("/")[2]
        if name in refs:
            raise UsageError(
                f"{refs[name]} and {version['ref']} would install the same distribution {name!r}",
                "Install them into separate virtual environments.",
            )
        refs[name] = version["ref"]


def needs_login(version: dict[str, Any]) -> bool:
    """Whether its file is not public."""
    return bool(version["visibility"] != "public" or version["status"] != "listed")


def pin(hub: Hub, version: dict[str, Any], temporary: Path) -> str:
    """A PEP 508 direct reference with its hash, to a local file where the hub requires a login."""
    file, name = version["file"], version["environment"].partition("/")[2]
    if not needs_login(version):
        return f"{name} @ {file['url']}#sha256={file['sha256']}"
    return f"{name} @ {_downloaded(hub, file, temporary).as_uri()}#sha256={file['sha256']}"


def archive(hub: Hub, version: dict[str, Any], row: dict[str, Any], temporary: Path) -> str:
    """The hub's archive of a git dependency, to install in place of the repository."""
    if not needs_login(version):
        return archive_of(row)
    return archive_of({**row, "url": _downloaded(hub, row, temporary).as_uri()})


def archive_of(row: dict[str, Any]) -> str:
    """A PEP 508 direct reference to the archive of a git dependency, with its hash."""
    folder = f"&subdirectory={row['subdirectory']}" if row["subdirectory"] else ""
    return f"{row['name']} @ {row['url']}#sha256={row['sha256']}{folder}"


def _downloaded(hub: Hub, file: dict[str, Any], temporary: Path) -> Path:
    """The file, fetched with our token and verified."""
    path = temporary / Path(file["filename"]).name
    hub.download(file["url"], path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != file["sha256"]:
        raise HubCliError(
            f"{file['filename']} has sha256 {digest}, the hub gives {file['sha256']}",
            "Do not install it; report it to the hub's operator.",
        )
    return path
