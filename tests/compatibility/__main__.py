"""Measure how far environments by other people get: one line a result, then the totals.

    python -m tests.compatibility --snapshots FOLDER
    python -m tests.compatibility --only gsm8k --again

Results are kept in ~/.cache/envyard/compatibility, and the next command goes on where the last one
stopped. Each source is built with its own build backend on this machine, and run in the sandbox.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.compatibility import evaluate, material, services, table
from tests.compatibility.catalogue import SOURCES, Source
from tests.compatibility.evaluate import Result


def main() -> int:
    """Exit 0 unless a repository could not be had."""
    options = _parser().parse_args()
    chosen = [
        source
        for source in SOURCES
        if not options.only or source.name in options.only or source.key in options.only
    ]
    if options.list:
        sys.stdout.write("".join(f"{source.key}\n" for source in chosen))
        return 0
    _set_up_django()
    try:
        results = measure(
            chosen,
            snapshots=options.snapshots,
            again=options.again,
            seconds=options.seconds,
            tasks=options.tasks,
        )
    except material.NoMaterial as error:
        sys.stderr.write(f"{error}\nName a folder of snapshots by --snapshots.\n")
        return 1
    sys.stdout.write(f"{table.counts(results)}\n")
    if options.write:
        options.write.write_text(table.markdown(results), encoding="utf-8")
    return 0


def measure(
    sources: list[Source],
    *,
    snapshots: Path | None,
    again: bool = False,
    seconds: float = float("inf"),
    tasks: int = evaluate.TASKS,
) -> list[Result]:
    """The results of these sources, kept ones included; no new one begins after `seconds`.

    Raises NoMaterial for a repository that cannot be had.
    """
    began, results = time.monotonic(), []
    with services.serving(snapshots) as served:
        for source in sources:
            git = material.git_folder(source.repository, snapshots)
            result = None if again else _kept(source, material.tree_of(source, git))
            if result is None and time.monotonic() - began < seconds:
                result = evaluate.evaluate(source, git, served, tasks=tasks)
                _keep(source, result)
            if result is not None:
                results.append(result)
                _print(result)
    return results


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m tests.compatibility",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    folder = os.environ.get(material.SNAPSHOTS)
    parser.add_argument(
        "--snapshots",
        type=Path,
        default=Path(folder) if folder else None,
        help=f"folder of git directories OWNER+NAME; default ${material.SNAPSHOTS}, else clones",
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these environments alone")
    parser.add_argument("--again", action="store_true", help="measure those with a result too")
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="begin no environment after this time"
    )
    parser.add_argument("--tasks", type=int, default=evaluate.TASKS, help="tasks of each run")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page")
    parser.add_argument("--list", action="store_true", help="print the environments and stop")
    return parser


def _set_up_django() -> None:
    """The card's measures import models; no database is opened."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    os.environ.setdefault("HUB_HOME", tempfile.mkdtemp(prefix="envyard-compatibility-hub-"))
    os.environ.setdefault("HUB_SECRET_KEY", "only-for-tests")
    import django

    django.setup()


def _path(source: Source) -> Path:
    return material.cache_folder() / "results" / f"{source.key}.json"


def _kept(source: Source, tree: str) -> Result | None:
    """The result of an earlier command for the same files."""
    try:
        result = Result.from_dict(json.loads(_path(source).read_text()))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return result if result.tree == tree else None


def _keep(source: Source, result: Result) -> None:
    path = _path(source)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result.to_dict(), indent=1))


def _print(result: Result) -> None:
    reason = result.requirement or ", ".join(result.codes)
    sys.stdout.write(f"{result.environment}: {result.outcome} {reason}\n")
    if result.sentence:
        sys.stdout.write(f"    {result.sentence[:300]}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
