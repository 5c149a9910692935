"""Run entries, several at once: one process each, because a sandbox dies with its thread."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from tests.compatibility import judge as scripted_judge
from tests.zoo import evasions
from tests.zoo.entry import Entry
from tests.zoo.evaluate import Judgement, evaluate
from tests.zoo.judge import verdict

KEPT = Path(__file__).parents[2] / ".cache/zoo"
Result = tuple[Entry, int, Judgement]
# What shows in the sandbox or in a Python of its own alone.
OF_ITS_PROCESS = {"hash-seed", "process-number", "tasks-from-a-set"}
NEVER_FORKED = {entry.name for entry in evasions.FLAWED} | OF_ITS_PROCESS


@contextmanager
def services() -> Iterator[dict[str, str]]:
    """The scripted judge, as the runner's settings."""
    with scripted_judge.serving(verdict) as settings:
        yield settings


def run(
    planned: Sequence[tuple[Entry, int]],
    *,
    jobs: int,
    kept: bool = False,
    forked: bool = False,
) -> Iterator[Result]:
    """The judgement of each entry under its seed, as they end; kept ones first where wanted.

    If `forked`, the processes of an entry import no framework, except where that would hide its
    flaw.
    """
    todo = [*planned]
    if kept:
        for entry, seed in planned:
            if (judgement := read_kept(entry, seed)) is not None:
                todo.remove((entry, seed))
                yield entry, seed, judgement
    if not todo:
        return
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would compile all it imports
    context = get_context("spawn")
    with services() as settings, ProcessPoolExecutor(jobs, context, set_up_django) as pool:
        futures = {
            pool.submit(_one, entry, seed, settings, not (forked and may_fork(entry))): (
                entry,
                seed,
            )
            for entry, seed in todo
        }
        for future in as_completed(futures):
            entry, seed = futures[future]
            judgement = future.result()
            keep(entry, seed, judgement)
            yield entry, seed, judgement


def may_fork(entry: Entry) -> bool:
    """Whether a process forked from another shows what a sandbox shows."""
    return entry.folder is not None or entry.name not in NEVER_FORKED


def _one(entry: Entry, seed: int, settings: Mapping[str, str], sandboxed: bool) -> Judgement:
    return evaluate(entry, seed=seed, settings=settings, sandboxed=sandboxed)


def set_up_django() -> None:
    """The card's measures import models; no database is opened."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    os.environ.setdefault("HUB_HOME", tempfile.mkdtemp(prefix="envyard-zoo-hub-"))
    os.environ.setdefault("HUB_SECRET_KEY", "only-for-tests")
    import django

    django.setup()


def read_kept(entry: Entry, seed: int) -> Judgement | None:
    """The result of an earlier command for the same text; None without one."""
    try:
        return Judgement.from_dict(json.loads(_path(entry, seed).read_text()))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(entry: Entry, seed: int, judgement: Judgement) -> None:
    """Keep it for `--kept`."""
    path = _path(entry, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(judgement.to_dict(), indent=1))


def _path(entry: Entry, seed: int) -> Path:
    """Of a file that is another one when the entry's text changes."""
    text = json.dumps([entry.module, entry.declarations, _sources(entry.folder)])
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return KEPT / f"{entry.key}-{seed}-{digest}.json"


def _sources(folder: Path | None) -> list[str]:
    """The files that an environment by others is built from."""
    files = sorted(folder.rglob("*.py")) if folder else []
    return [file.read_text(encoding="utf-8") for file in files]
