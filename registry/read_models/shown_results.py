"""The environments and models that a leaderboard across environments shows."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.core.cache import caches
from django.db.models import Avg

from envyard.contract.job import MODEL
from registry import events
from registry.accounts.models import Token
from registry.accounts.permissions import Actor
from registry.read_models.newest_results import LatestVersion, Results, newest_results
from registry.runs.models import Rollout
from registry.runs.suite_models import Suite

MAX_MODELS = 50
MAX_ENVIRONMENTS = 12  # side by side
MAX_OTHERS = 100
SECONDS = 60
cache = caches["local"]


@dataclass(frozen=True, slots=True)
class ShownResults:
    """Keys of the environments that are columns and of others with results, all by the number of
    models in `counts`; the models, and the number of further ones; `results` are theirs in the
    columns, and `versions` the latest versions of all these environments."""

    columns: list[int]
    others: list[int]
    models: list[str]
    more_models: int
    counts: Counter[int]
    versions: dict[int, LatestVersion]
    results: Results


def shown_results(
    suites: Sequence[Suite], environments: Sequence[str], actor: Actor, token: Token | None
) -> ShownResults:
    """Those by the suites on the named environments, by default on those with the most models, as
    the actor sees them. What strangers see of many environments is kept until the hub records its
    next event, as each new result and each change of an environment is one; for SECONDS at most,
    because an event that began earlier may be recorded later."""
    if actor.is_authenticated:
        return _chosen(suites, environments, actor, token)
    names = repr(([suite.pk for suite in suites], sorted(environments), events.newest()))
    key = f"across-shown-{hashlib.sha256(names.encode()).hexdigest()}"
    shown: ShownResults | None = cache.get(key)
    if shown is None:
        shown = _chosen(suites, environments, actor, token)
        if len(shown.others) == MAX_OTHERS:
            cache.set(key, shown, SECONDS)
    return shown


def _chosen(
    suites: Sequence[Suite], environments: Sequence[str], actor: Actor, token: Token | None
) -> ShownResults:
    results, versions = newest_results(suites, actor, token)
    counts = Counter(
        pk for row in results.values() for pk, result in row.items() if result.is_current
    )
    order = sorted(counts, key=lambda pk: (-counts[pk], versions[pk].ref))
    wanted = [pk for pk in order if not environments or versions[pk].ref in environments]
    columns = wanted[:MAX_ENVIRONMENTS]
    others = [pk for pk in order if pk not in columns][:MAX_OTHERS]
    models, more = _models(results, columns)
    return ShownResults(
        columns,
        others,
        models,
        more,
        Counter({pk: counts[pk] for pk in (*columns, *others)}),
        {pk: versions[pk] for pk in (*columns, *others)},
        {m: {pk: results[m][pk] for pk in columns if pk in results[m]} for m in models},
    )


def _models(results: Results, columns: Sequence[int]) -> tuple[list[str], int]:
    """MAX_MODELS of those with a current result in one of the columns, and how many more there are:
    the most results first, then the highest mean of the runs' mean rewards."""
    runs = {
        model: [row[pk].run for pk in columns if pk in row and row[pk].is_current]
        for model, row in results.items()
    }
    models = sorted((m for m in runs if runs[m]), key=lambda m: (-len(runs[m]), m))
    more = max(0, len(models) - MAX_MODELS)
    if more:
        least = len(runs[models[MAX_MODELS - 1]])
        means = _means(run for m in models if len(runs[m]) == least for run in runs[m])
        models.sort(key=lambda m: (-len(runs[m]), -sum(means.get(run, 0.0) for run in runs[m])))
    return models[:MAX_MODELS], more


def _means(runs: Iterable[str]) -> dict[str, float]:
    """Key of each run -> its mean reward; one query."""
    keys = {UUID(run): run for run in runs}
    rows = Rollout.objects.filter(run__in=keys, policy=MODEL, ok=True, reward__isnull=False)
    return {keys[pk]: value for pk, value in rows.values_list("run").annotate(Avg("reward"))}
