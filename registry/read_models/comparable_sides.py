"""The sides of a comparison, and whether two of them compare."""

from __future__ import annotations

from collections import defaultdict

from envyard.contract.values import text
from registry.errors import Stale
from registry.read_models import paired_runs
from registry.runs.models import Run
from registry.self_reported import samples
from registry.self_reported.models import Evaluation

Row = Run | Evaluation


def model_of(row: Row) -> str:
    """The model that was measured."""
    return row.model if isinstance(row, Run) else row.model_name


def digest_of(row: Row) -> str:
    """The digest of its suite; empty where it has none, or a pushed one names none."""
    if isinstance(row, Run):
        return row.suite.digest if row.suite else ""
    return text(row.metadata.get("suite_digest"), 64)


def environment_of(row: Row) -> object:
    """Its environment."""
    return row.version.environment if isinstance(row, Run) else row.environment


def check(first: Row, second: Row) -> None:
    """Raise Stale where the sides do not compare, with what differs."""
    if isinstance(first, Run) and isinstance(second, Run):
        paired_runs.check(first, second)
        return
    for row in (first, second):
        _check_result(row)
    digests = digest_of(first), digest_of(second)
    if all(digests) and digests[0] != digests[1]:
        raise Stale(
            f"the sides have other suites, {digests[0][:12]} and {digests[1][:12]}, and do not "
            "compare",
            "Measure both by the same suite: hub eval --suite.",
        )
    environments = environment_of(first), environment_of(second)
    if environments[0] != environments[1]:
        raise Stale(
            f"{environments[0]} and {environments[1]} share no tasks",
            "Compare results of one environment.",
        )
    if first.version_id != second.version_id and model_of(first) != model_of(second):
        raise Stale(
            f"the sides differ in version ({first.version}, {second.version}) and in model "
            f"({model_of(first)}, {model_of(second)})",
            "Compare two models on one version, or one model on two versions.",
        )
    _check_tasks(first, second)


def _check_result(row: Row) -> None:
    if isinstance(row, Run):
        if row.status != Run.Status.SUCCEEDED or not row.model:
            raise Stale(
                f"run {row.pk} has no result of a model", "Compare runs that succeeded with one."
            )
    elif row.status != Evaluation.Status.COMPLETED or not row.rewarded or not row.version_id:
        raise Stale(
            f"{row.name} is {row.status} with {row.rewarded} rewards, and names "
            f"{row.version or 'no version'}",
            "Compare completed evaluations of a version.",
        )


def _check_tasks(first: Row, second: Row) -> None:
    """Raise Stale where tasks of the same index are others, or versions differ and no hashes tell
    which tasks are the same."""
    named = _hashes(first), _hashes(second)
    if first.version_id != second.version_id:
        if not all(hashes and all(hashes.values()) for hashes in named):
            raise Stale(
                "the sides are of two versions and do not name the hashes of their tasks",
                "Compare results of one version.",
            )
        return
    others = sum(
        bool(digest and named[1].get(index) and digest != named[1][index])
        for index, digest in named[0].items()
    )
    if others:
        raise Stale(
            f"{others} tasks with the same index are others, so the sides do not compare",
            "Push an evaluation of the version's own tasks: hub eval --local.",
        )


def _hashes(row: Row) -> dict[int, str]:
    """Index of each task -> its hash, empty where the side names none."""
    if isinstance(row, Run):
        return {index: task[0] for index, task in paired_runs.tasks_of(row).items()}
    hashes: dict[int, str] = defaultdict(str)
    for each in samples.results_of(evaluation=row):
        hashes[each.task] = each.hash
    return dict(hashes)
