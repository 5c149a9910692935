"""Models on one version by one suite, and a version against the one before it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated, Any

from django.core.cache import caches

from envyard.card.paired import Comparison, ranked
from envyard.contract.job import MODEL
from registry.catalog.models import Version
from registry.read_models import links, paired_runs, scores
from registry.read_models.annotations import Moment, Spec, StoredScore, Uri
from registry.read_models.paired_runs import RunComparison
from registry.read_models.runs import RunSuite
from registry.runs.models import Run
from registry.runs.suite_models import Suite

MAX_MODELS = 50
SECONDS = 3600
cache = caches["local"]


@dataclass(frozen=True, slots=True)
class VerifiedRow:
    """A model that this hub measured; equal ranks are ties."""

    rank: int
    model: str
    score: StoredScore
    difference: Annotated[
        Comparison | None,
        Spec(
            description="Paired, to the first of its rank, or of the rank before where it is the "
            "first itself; null for the first of all."
        ),
    ]
    run: str
    url: Uri
    ended_at: Moment


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The models on a version by a suite. Rows of other versions or suites do not compare."""

    environment: str
    version: str
    suite: RunSuite
    verified: list[VerifiedRow]


@dataclass(frozen=True, slots=True)
class Regression:
    """A version against the one listed before it, by each model that both have a run of."""

    environment: str
    version: str
    previous: str | None
    suite: RunSuite
    models: list[RunComparison]


def leaderboard(version: Version, suite: Suite) -> Leaderboard:
    """The newest result of each model, at most MAX_MODELS, with ranks and ties."""
    runs = results(version, suite)[:MAX_MODELS]
    shown = scores.of_runs(runs)
    rows = []
    for index, rank, difference in _places(runs):
        run = runs[index]
        score = next((each for each in shown[run.pk] if each["policy"] == MODEL), None)
        if score is None or run.ended_at is None:
            continue
        rows.append(
            VerifiedRow(
                rank=rank,
                model=run.model,
                score=score,
                difference=difference,
                run=str(run.pk),
                url=links.run(run),
                ended_at=run.ended_at,
            )
        )
    return Leaderboard(
        str(version.environment), version.version, RunSuite(suite.name, suite.digest), rows
    )


def results(version: Version, suite: Suite) -> list[Run]:
    """The newest run with a result of each model on the version by the suite, by model."""
    rows = Run.objects.filter(version=version, suite=suite, status=Run.Status.SUCCEEDED)
    newest: dict[str, Run] = {}
    for run in rows.exclude(model="").order_by("-created_at"):
        newest.setdefault(run.model, run)
    for run in newest.values():
        run.version = version
    return [newest[model] for model in sorted(newest)]


def _places(runs: list[Run]) -> list[tuple[int, int, Comparison | None]]:
    """Index, rank and difference of each run, the best first; kept, as ended runs never change."""
    names = " ".join(run.pk.hex for run in runs)
    key = f"places-{hashlib.sha256(names.encode()).hexdigest()}"
    stored: Any = cache.get(key)
    if stored is None:
        rewards, bounds = paired_runs.rewards_of(runs)
        places = ranked([rewards[run.pk] for run in runs], bounds)
        stored = [(place.index, place.rank, place.to_first) for place in places]
        cache.set(key, stored, SECONDS)
    places_kept: list[tuple[int, int, Comparison | None]] = stored
    return places_kept


def regression(version: Version, suite: Suite) -> Regression:
    """Compare each model's results on the version with those on the one listed before it."""
    earlier = version.environment.versions.filter(
        status=Version.Status.LISTED, deleted_at=None, sort_key__lt=version.sort_key
    )
    previous = earlier.order_by("-sort_key").first()
    models = []
    if previous is not None:
        previous.environment = version.environment
        before = {run.model: run for run in results(previous, suite)}
        pairs = [(run, before[run.model]) for run in results(version, suite) if run.model in before]
        models = [paired_runs.comparison(new, old) for new, old in pairs[:MAX_MODELS]]
    return Regression(
        str(version.environment),
        version.version,
        previous.version if previous else None,
        RunSuite(suite.name, suite.digest),
        models,
    )
