"""Models on one version by one suite, and a version against the one before it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from django.core.cache import caches
from django.db.models import QuerySet

from envyard.card.items import negative_items
from envyard.card.learnability import ModelMeasure
from envyard.card.paired import Comparison, ranked
from envyard.contract.job import MODEL
from registry.catalog.models import Version
from registry.read_models import constant_answers, links, paired_runs, scores
from registry.read_models.annotations import Moment, Spec, StoredScore, Uri
from registry.read_models.claims import ClaimedRow, claimed_rows
from registry.read_models.disputed_labels import DisputedLabels, of_models
from registry.read_models.paired_runs import RunComparison
from registry.read_models.runs import RunSuite
from registry.read_models.suites import OtherDefinition, other_definitions
from registry.runs import suites
from registry.runs.models import Run
from registry.runs.suite_models import Suite
from registry.self_reported.models import Evaluation

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
    compared_with: Annotated[
        str | None, Spec(description="The run of that other model; null for the first of all.")
    ]
    run: str
    url: Uri
    ended_at: Moment


@dataclass(frozen=True, slots=True)
class SuspectTask:
    """A task whose reward falls with the strength of the model: its label may be wrong.

    `discrimination` is its correlation over the models with the mean of all other tasks, `high` the
    upper bound.
    """

    task: int
    discrimination: float
    high: float
    models: int


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The models on a version by a suite. Rows of other versions or suites do not compare."""

    environment: str
    version: str
    suite: RunSuite
    rules: Annotated[int, Spec(description="The rules version that the suite freezes.")]
    is_present: Annotated[bool, Spec(description="A run may have this suite today.")]
    same_name: Annotated[
        list[OtherDefinition],
        Spec(description="Suites of that name that freeze something else, the newest first."),
    ]
    constant: Annotated[
        ModelMeasure | None,
        Spec(
            description="What one answer to every task would earn, from the version's newest run "
            "with probes; null where there is none, its value null where that is unknown."
        ),
    ]
    verified: list[VerifiedRow]
    reproduced: list[ClaimedRow]
    self_reported: list[ClaimedRow]
    suspect_tasks: Annotated[
        list[SuspectTask],
        Spec(description="Solved by weak models and failed by strong ones; needs 4 models."),
    ]
    disputed_labels: Annotated[
        DisputedLabels | None,
        Spec(description="Tasks where strong models agree on an unpaid answer; needs 2 models."),
    ]


@dataclass(frozen=True, slots=True)
class Regression:
    """A version against the one listed before it, by each model that both have a run of."""

    environment: str
    version: str
    previous: str | None
    suite: RunSuite
    models: list[RunComparison]


def leaderboard(
    version: Version, suite: Suite, *, claims: QuerySet[Evaluation] | None = None
) -> Leaderboard:
    """The newest result of each model, at most MAX_MODELS, with ranks and ties; apart from them
    what people pushed, of the visible `claims`."""
    runs = results(version, suite)[:MAX_MODELS]
    places, suspects, disputed = _analysed(runs)
    own = {version.pk: {run.model: run for run in runs}}
    visible = Evaluation.objects.none() if claims is None else claims
    pairs = claimed_rows(visible.filter(version=version), suite.digest, own)
    claimed = [row for _, row in pairs]
    return Leaderboard(
        environment=str(version.environment),
        version=version.version,
        suite=RunSuite(suite.name, suite.digest),
        rules=suite.frozen.rules,
        is_present=suites.is_present(suite),
        same_name=other_definitions(
            suites.others_of_name(version.environment, suite), version=version
        ),
        constant=constant_answers.of_versions([version.pk]).get(version.pk),
        verified=list(_verified(runs, places)),
        reproduced=[row for row in claimed if row.evidence == "reproduced"],
        self_reported=[row for row in claimed if row.evidence == "self_reported"],
        suspect_tasks=suspects,
        disputed_labels=disputed,
    )


def _verified(runs: list[Run], places: Places) -> Iterator[VerifiedRow]:
    shown = scores.of_runs(runs)
    leader: str | None = None  # the run that the next one was compared with
    for index, rank, difference in places:
        run, compared_with = runs[index], leader
        if difference is None or not difference.is_tie:
            leader = str(run.pk)
        score = next((each for each in shown[run.pk] if each["policy"] == MODEL), None)
        if score is None or run.ended_at is None:
            continue
        yield VerifiedRow(
            rank=rank,
            model=run.model,
            score=score,
            difference=difference,
            compared_with=compared_with,
            run=str(run.pk),
            url=links.run(run),
            ended_at=run.ended_at,
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


Places = list[tuple[int, int, Comparison | None]]
Analysis = tuple[Places, list[SuspectTask], DisputedLabels | None]


def _analysed(runs: list[Run]) -> Analysis:
    """Index, rank and difference of each run, the best first, the tasks that strong models fail,
    and those at which they dispute the label; kept in the cache, as ended runs never change."""
    names = " ".join(run.pk.hex for run in runs)
    key = f"analysed-2-{hashlib.sha256(names.encode()).hexdigest()}"
    stored: Analysis | None = cache.get(key)
    if stored is None:
        rewards, bounds = paired_runs.rewards_of(runs)
        rows = [rewards[run.pk] for run in runs]
        places = [(place.index, place.rank, place.to_first) for place in ranked(rows, bounds)]
        indexes = paired_runs.indexes_of(runs[0]) if runs else {}
        suspects = [
            SuspectTask(indexes[item.task], item.discrimination, item.high, item.models)
            for item in negative_items(rows, bounds)
            if item.task in indexes
        ]
        stored = places, suspects, of_models(runs)
        cache.set(key, stored, SECONDS)
    return stored


def regression(version: Version, suite: Suite) -> Regression:
    """Compare each model's results on the version with those on the one listed before it."""
    earlier = version.environment.versions.filter(
        status=Version.Status.LISTED, deleted_at=None, sort_key__lt=version.sort_key
    )
    previous = earlier.order_by("-sort_key").only("environment", "version").first()
    models = []
    if previous is not None:
        previous.environment = version.environment
        before = {run.model: run for run in results(previous, suite)}
        after = results(version, suite) if before else []
        pairs = [(run, before[run.model]) for run in after if run.model in before]
        models = [paired_runs.comparison(new, old) for new, old in pairs[:MAX_MODELS]]
    return Regression(
        str(version.environment),
        version.version,
        previous.version if previous else None,
        RunSuite(suite.name, suite.digest),
        models,
    )
