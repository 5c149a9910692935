"""`hub data`: the data sets that a version was evaluated with, and an offline cache of them."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from envyard import config as configs
from envyard.client import Hub, version_path
from envyard.commands.show import ref_of
from envyard.contract.data_lock import BadDataLock, DataLock
from envyard.contract.names import parse_ref
from envyard.data_cache import Source, lay_out
from envyard.errors import ApiError, HubCliError
from envyard.output import Output

PUBLIC_HUB = "https://huggingface.co"


def register(commands: Any, common: ArgumentParser) -> None:
    """Add data."""
    data = commands.add_parser(
        "data", parents=[common], help="print a version's data lock, or fetch its data sets"
    )
    data.add_argument("ref", metavar="owner/name[==version]")
    data.add_argument(
        "--to",
        type=Path,
        metavar="DIR",
        help="fetch the locked files from HF_ENDPOINT into DIR, an HF_HOME for HF_HUB_OFFLINE=1",
    )
    data.set_defaults(run=run)


def run(args: Namespace, out: Output) -> None:
    """Print the lock, one file a line, or fetch and verify its files."""
    hub = Hub(configs.load(args.url))
    version = hub.version(ref_of(args.ref))
    ref = str(version["ref"])
    try:
        detail = hub.get(f"{version_path(parse_ref(ref))}data-lock/")
        lock = DataLock.from_dict(detail)
    except BadDataLock as error:
        raise HubCliError(
            f"the hub's data lock is invalid: {error}", "Report it to the hub's operator."
        ) from error
    except ApiError as error:
        if error.status != 404:
            raise
        lock, detail = DataLock(), {"ref": ref, "repositories": []}
    if args.to is not None:
        _fetch(lock, args.to, out, ref)
    elif out.as_json:
        out.json(detail)
    else:
        _print(lock, ref, out)


def _print(lock: DataLock, ref: str, out: Output) -> None:
    if not lock.repositories:
        out.note(f"no run of {ref} has read a data set")
        return
    for repository in lock.repositories:
        notes = [repository.licence or "no licence named", *(["gated"] if repository.gated else [])]
        name = repository.name if repository.kind == "dataset" else f"model {repository.name}"
        out.note(f"{name} at {repository.commit} ({', '.join(notes)})", "bold")
        out.table(
            ("file", "bytes", "sha256"),
            [
                (f"{repository.name}/{file.path}", file.size, file.sha256)
                for file in repository.files
            ],
        )
    out.hint(f"fetch the same bytes: hub data {ref} --to data")


def _fetch(lock: DataLock, folder: Path, out: Output, ref: str) -> None:
    source = Source(os.environ.get("HF_ENDPOINT") or PUBLIC_HUB, os.environ.get("HF_TOKEN"))
    fetched = lay_out(lock, folder.absolute(), source, out.progress)
    if out.as_json:
        out.json({"ref": ref, "files": lock.files, "bytes": lock.size, "fetched": fetched})
        return
    out.note(f"{lock.files} files, {lock.size} bytes, {fetched} fetched; all verified", "green")
    out.hint(f"use them: HF_HOME={folder.absolute()} HF_HUB_OFFLINE=1 python train.py")
