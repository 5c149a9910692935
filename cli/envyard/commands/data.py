"""`hub data`: the data sets that a version was evaluated with, and an offline copy of them."""

from __future__ import annotations

import argparse
import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from envyard import config as configs
from envyard.client import Hub, version_path
from envyard.commands.arguments import add_ref
from envyard.commands.show import ref_of
from envyard.contract.data_lock import BadDataLock, DataLock
from envyard.contract.local_access import PUBLIC_DATA_HUB
from envyard.contract.names import parse_ref
from envyard.data_cache import LOCK_FILE, Source, kept_lock, lay_out, verify
from envyard.data_mirror import FrozenHub, run_program, serving
from envyard.errors import ApiError, HubCliError, UsageError
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add data."""
    data = commands.add_parser(
        "data", parents=[common], help="print a version's data lock, or fetch its data sets"
    )
    add_ref(data, versions=True, nargs="?")
    folder = data.add_mutually_exclusive_group()
    folder.add_argument(
        "--to", type=Path, metavar="DIR", help="fetch the locked files from HF_ENDPOINT into DIR"
    )
    folder.add_argument(
        "--from",
        dest="folder",
        type=Path,
        metavar="DIR",
        help="use what --to fetched into DIR, without the hub",
    )
    data.add_argument(
        "--run",
        dest="program",
        nargs=argparse.REMAINDER,
        metavar="PROGRAM",
        help="run PROGRAM with the data sets of DIR (last option: the rest is its command line)",
    )
    data.set_defaults(run=run)


def run(args: Namespace, out: Output) -> int:
    """Print the lock, one file a line; or fetch and verify its files, and run a program on them."""
    folder = args.to or args.folder
    if args.ref and args.folder:
        raise UsageError(
            "--from uses what is in the folder: name no version",
            f"hub data --from {args.folder}, or hub data {args.ref} --to {args.folder}",
        )
    if not args.ref and not args.folder:
        raise UsageError(
            "name a version, or a folder with --from",
            "hub data OWNER/NAME, or hub data --from DIR",
        )
    if args.program is not None and (folder is None or not args.program):
        raise UsageError("--run needs a program, and --to or --from a folder with its data sets")
    if args.folder is not None:
        _verify(args.folder, out, quiet=bool(args.program))
    else:
        lock, detail = _lock(Hub(configs.load(args.url)), args.ref)
        if args.to is not None:
            _fetch(lock, args.to, out, detail["ref"])
        elif out.as_json:
            out.json(detail)
        else:
            _print(lock, detail["ref"], out)
    return _run(args.program, folder.absolute(), out) if args.program else 0


def _verify(folder: Path, out: Output, *, quiet: bool) -> None:
    """Compare the folder with its lock: a folder without one would leave every read to the network,
    where `main` has moved."""
    lock = kept_lock(folder)
    if not (folder / LOCK_FILE).exists():
        raise HubCliError(
            f"{folder} has no data sets of a version",
            f"Fetch them: hub data OWNER/NAME --to {folder}",
            "data.no_folder",
        )
    verify(lock, folder, out.progress)
    if out.as_json and not quiet:
        out.json({"files": lock.files, "bytes": lock.size})
    elif not quiet:
        out.note(f"{lock.files} files, {lock.size} bytes; all verified", "green")
        out.hint(f"use them: hub data --from {folder} --run python train.py")


def _lock(hub: Hub, name: str) -> tuple[DataLock, dict[str, Any]]:
    """The version's data lock, empty where no run has read a data set, and the hub's answer."""
    ref = str(hub.version(ref_of(name))["ref"])
    try:
        detail = hub.get(f"{version_path(parse_ref(ref))}data-lock/")
        return DataLock.from_dict(detail), {**detail, "ref": ref}
    except BadDataLock as error:
        raise HubCliError(
            f"the hub's data lock is invalid: {error}", "Report it to the hub's operator."
        ) from error
    except ApiError as error:
        if error.status != 404:
            raise
        return DataLock(), {"ref": ref, "repositories": []}


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
    fetched = lay_out(lock, folder.absolute(), _source(), out.progress)
    if out.as_json:
        out.json({"ref": ref, "files": lock.files, "bytes": lock.size, "fetched": fetched})
        return
    out.note(f"{lock.files} files, {lock.size} bytes, {fetched} fetched; all verified", "green")
    out.hint(f"train with them, also offline: hub data --from {folder} --run python train.py")


def _run(program: list[str], folder: Path, out: Output) -> int:
    """Serve the folder's data sets while the program runs; returns its exit code."""
    hub = FrozenHub(kept_lock(folder), folder)
    with serving(hub, _source().url) as url:
        code = run_program(program, folder, url)
    if code and hub.refused:
        out.note(f"the data lock does not name: {', '.join(hub.refused)}", "yellow")
    return code


def _source() -> Source:
    """The user's own data set hub."""
    return Source(os.environ.get("HF_ENDPOINT") or PUBLIC_DATA_HUB, os.environ.get("HF_TOKEN"))
