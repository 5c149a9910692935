"""Models on one version by one suite, and a version against the one before it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from django.core.cache import caches
from django.db.models import Avg, QuerySet

from envyard.card.items import negative_items
from envyard.card.learnability import ModelMeasure
from envyard.card.paired import Comparison, Place, Ranking, ranked
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
from registry.runs.models import Rollout, Run
from registry.runs.suite_models import Suite
from registry.self_reported.models import Evaluation

MAX_MODELS = 200
SECONDS = 3600
cache = caches["local"]


@dataclass(frozen=True, slots=True)
class VerifiedRow:
    """A model that this hub measured; equal ranks are ties."""

    rank: Annotated[
        int | None,
        Spec(description="Null where too few of its tasks have a reward to compare it."),
    ]
    model: str
    score: StoredScore
    difference: Annotated[
        Comparison | None,
        Spec(
            description="Paired by task, to the first of its rank, or of the rank before where it "
            "is the first itself; without a rank, to the first of all, over the tasks that both "
            "have. Null for the first of all."
        ),
    ]
    tasks: Annotated[int, Spec(description="Tasks in which it has a reward.")]
    compared_with: Annotated[
        str | None, Spec(description="The run of that other model; null for the first of all.")
    ]
    run: str
    url: Uri
    ended_at: Moment


@dataclass(frozen=True, slots=True)
class SuspectTask:
    """A task whose reward falls with the strength of the model: its label may be wrong.

    `discrimination` is its correlation over the models with the mean of all other tasks,
    `false_share` the expected share of unfounded ones among this task and those before it.
    """

    task: int
    discrimination: float
    false_share: float
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
    ranked_tasks: Annotated[
        int,
        Spec(description="The tasks that all ranked models have: order and ranks are over these."),
    ]
    more_models: Annotated[
        int,
        Spec(description=f"Models with a result beyond the {MAX_MODELS} with the highest means."),
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
    more_models: Annotated[
        int, Spec(description=f"Models with results on both beyond the first {MAX_MODELS} by name.")
    ] = 0


def leaderboard(
    version: Version, suite: Suite, *, claims: QuerySet[Evaluation] | None = None
) -> Leaderboard:
    """The newest result of each model with ranks and ties, of more than MAX_MODELS those with the
    highest means; apart from them what people pushed, of the visible `claims`."""
    measured = results(version, suite)
    runs = highest(measured, MAX_MODELS)
    ranking, suspects, disputed = _analysed(runs)
    own = {version.pk: {run.model: run for run in measured}}
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
        ranked_tasks=ranking.tasks,
        more_models=len(measured) - len(runs),
        verified=list(_verified(runs, ranking.places)),
        reproduced=[row for row in claimed if row.evidence == "reproduced"],
        self_reported=[row for row in claimed if row.evidence == "self_reported"],
        suspect_tasks=suspects,
        disputed_labels=disputed,
    )


def _verified(runs: list[Run], places: list[Place]) -> Iterator[VerifiedRow]:
    shown = scores.of_runs(runs)
    for place in places:
        run = runs[place.index]
        score = next((each for each in shown[run.pk] if each["policy"] == MODEL), None)
        if score is None or run.ended_at is None:
            continue
        yield VerifiedRow(
            rank=place.rank,
            model=run.model,
            score=score,
            difference=place.to_first,
            compared_with=None if place.first is None else str(runs[place.first].pk),
            tasks=place.tasks,
            run=str(run.pk),
            url=links.run(run),
            ended_at=run.ended_at,
        )


def results(version: Version, suite: Suite) -> list[Run]:
    """The newest run with a result of each model on the version by the suite, by model; without
    its facts."""
    rows = Run.objects.filter(version=version, suite=suite, status=Run.Status.SUCCEEDED)
    newest: dict[str, Run] = {}
    rows = rows.exclude(model="").only(*scores.COLUMNS, "model", "version", "suite", "ended_at")
    for run in rows.order_by("-created_at"):
        newest.setdefault(run.model, run)
    for run in newest.values():
        run.version, run.suite = version, suite
    return [newest[model] for model in sorted(newest)]


def highest(runs: list[Run], count: int) -> list[Run]:
    """The `count` runs with the highest mean reward, in their order; one query for more runs."""
    if len(runs) <= count:
        return runs
    rows = Rollout.objects.filter(run__in=runs, policy=MODEL, ok=True, reward__isnull=False)
    means = dict(rows.values_list("run").annotate(Avg("reward")))
    best = sorted(runs, key=lambda run: -means.get(run.pk, float("-inf")))[:count]
    return [run for run in runs if run in best]


Analysis = tuple[Ranking, list[SuspectTask], DisputedLabels | None]


def _analysed(runs: list[Run]) -> Analysis:
    """The places of the runs, the best first, the tasks that strong models fail, and those at which
    they dispute the label; kept in the cache, as ended runs never change."""
    names = " ".join(run.pk.hex for run in runs)
    key = f"analysed-3-{hashlib.sha256(names.encode()).hexdigest()}"
    stored: Analysis | None = cache.get(key)
    if stored is None:
        rewards, bounds = paired_runs.rewards_of(runs)
        rows = [rewards[run.pk] for run in runs]
        indexes = paired_runs.indexes_of(runs[0]) if runs else {}
        suspects = [
            SuspectTask(indexes[item.task], item.discrimination, item.false_share, item.models)
            for item in negative_items(rows, bounds)
            if item.task in indexes
        ]
        stored = ranked(rows, bounds), suspects, of_models(runs)
        cache.set(key, stored, SECONDS)
    return stored


def regression(version: Version, suite: Suite) -> Regression:
    """Compare each model's results on the version with those on the one listed before it."""
    earlier = version.environment.versions.filter(
        status=Version.Status.LISTED, deleted_at=None, sort_key__lt=version.sort_key
    )
    previous = earlier.order_by("-sort_key").only("environment", "version").first()
    models, pairs = [], list[tuple[Run, Run]]()
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
        len(pairs) - len(models),
    )
