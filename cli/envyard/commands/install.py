"""`hub install`: environments into the active Python environment, by immutable URL and sha256."""

from __future__ import annotations

import hashlib
import re
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from envyard import config as configs
from envyard import installer
from envyard.client import Hub
from envyard.commands.arguments import VERSION_HELP
from envyard.commands.show import ref_of
from envyard.contract.data_names import is_path
from envyard.contract.names import Ref, check_name, parse_ref
from envyard.errors import HubCliError, UsageError
from envyard.output import Output

ADDRESS = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+/[A-Za-z0-9._~/%+=&?,!-]*")
SHA256 = re.compile(r"[0-9a-f]{64}")
FOLDER = re.compile(r"[A-Za-z0-9._/+-]{1,500}")
RELEASE = re.compile(r"[a-z][a-z-]*==[0-9][0-9A-Za-z.]{0,39}")


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A file that an installer receives. A hub's text reaches it only in these forms: no option, no
    second line, no local file, no `${VARIABLE}`, which uv and pip would replace."""

    name: str
    url: str
    sha256: str
    folder: str = ""

    @classmethod
    def read(cls, name: str, row: dict[str, Any], *, folder: str = "") -> PinnedFile:
        """Read url and sha256 of a hub's answer; raises HubCliError."""
        url, sha256 = row["url"], row["sha256"]
        for field, value, form in (("url", url, ADDRESS), ("sha256", sha256, SHA256)):
            if not isinstance(value, str) or not form.fullmatch(value):
                raise _unusable(f"{field}={value!r:.200}")
        if folder and not (FOLDER.fullmatch(folder) and is_path(folder)):
            raise _unusable(f"subdirectory={folder!r:.200}")
        return cls(name, url, sha256, folder)

    @property
    def requirement(self) -> str:
        """A PEP 508 direct reference with its hash."""
        folder = f"&subdirectory={self.folder}" if self.folder else ""
        return f"{self.name} @ {self.url}#sha256={self.sha256}{folder}"


def _unusable(field: str) -> HubCliError:
    return HubCliError(
        f"the hub's answer has {field}, which no installer is given",
        "Do not install it; report it to the hub's operator.",
        "cli.unexpected_answer",
    )


def register(commands: Any, common: ArgumentParser) -> None:
    """Add install."""
    install = commands.add_parser(
        "install", parents=[common], help="install environments into the active environment"
    )
    install.add_argument("refs", nargs="+", metavar="owner/name[==version]", help=VERSION_HELP)
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
    pinned = wheel_of(version)
    if needs_login(version):
        pinned = replace(pinned, url=downloaded(hub, version["file"], temporary).as_uri())
    return pinned.requirement


def archive(hub: Hub, version: dict[str, Any], row: dict[str, Any], temporary: Path) -> str:
    """The hub's archive of a git dependency, to install in place of the repository."""
    pinned = archive_of(row)
    if needs_login(version):
        pinned = replace(pinned, url=downloaded(hub, row, temporary).as_uri())
    return pinned.requirement


def wheel_of(version: dict[str, Any]) -> PinnedFile:
    """The version's own wheel; raises HubCliError."""
    return PinnedFile.read(parse_ref(version["environment"]).name, version["file"])


def archive_of(row: dict[str, Any]) -> PinnedFile:
    """The archive of a git dependency; raises HubCliError."""
    return PinnedFile.read(check_name(row["name"]), row, folder=row["subdirectory"])


def downloaded(hub: Hub, file: dict[str, Any], temporary: Path) -> Path:
    """The file, fetched with our token and verified."""
    path = temporary / Path(file["filename"]).name
    hub.download(file["url"], path, size=int(file["size"]))
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != file["sha256"]:
        raise HubCliError(
            f"{file['filename']} has sha256 {digest}, the hub gives {file['sha256']}",
            "Do not install it; report it to the hub's operator.",
        )
    return path
