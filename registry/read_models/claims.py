"""What people pushed of a version by a suite, and whether the hub's own runs reproduce it.

The rule and its reasons: docs/evaluations.md, docs/decisions/0071.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated

from django.core.cache import caches
from django.db.models import QuerySet

from envyard.card.paired import Comparison, Rewards, Task, compare
from envyard.card.scores import bounds_over
from envyard.card.statistics import Bounds, mean
from envyard.contract.scoring import Scoring
from registry.read_models import links, paired_runs
from registry.read_models.annotations import Moment, Spec, Uri
from registry.runs.models import Run
from registry.self_reported import samples
from registry.self_reported.models import Evaluation
from registry.self_reported.samples import SampleResult

MAX_CLAIMS = 50
COLUMNS = (
    *("environment__owner__name", "environment__name", "owner__name", "version", "model_name"),
    *("metrics", "sample_count", "rewarded", "reward_sum", "created_at"),
)
SECONDS = 3600
SHARED = 0.9  # of the tasks of either side
HALF_WIDTH = 0.25  # of the interval, as a share of the width of the rewards' bounds
ROUNDING = 1e-6  # of rewards at a bound, as a share of that width
REPRODUCED, CONTRADICTED = "reproduced", "contradicted"
UNDECIDED, UNMEASURED = "undecided", "unmeasured"
cache = caches["local"]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Whether the hub's own run of the same model, version and suite agrees, and why it is so.

    `comparison` is the claim minus the hub's run by task, over the means of each task's attempts.
    """

    outcome: Annotated[str, Spec(enum=[REPRODUCED, CONTRADICTED, UNDECIDED, UNMEASURED])]
    reason: str
    run: Annotated[str | None, Spec(description="The hub's run; null where it has none.")] = None
    comparison: Comparison | None = None


@dataclass(frozen=True, slots=True)
class ClaimedRow:
    """A model that somebody evaluated on their own machine, with the mean of the pushed samples.

    It is reproduced where this hub measured the same model by the same suite on the same tasks, the
    interval of the difference contains 0 and is narrow enough, and its mean is that of the
    same tasks; else it is self-reported.
    """

    evidence: Annotated[str, Spec(enum=["reproduced", "self_reported"])]
    model: str
    mean: float
    samples: int
    stated: Annotated[float | None, Spec(description="The mean that the uploader states.")]
    disagrees: Annotated[bool, Spec(description="The stated mean is not that of the samples.")]
    reproduction: Reproduction
    owner: str
    url: Uri
    at: Moment


def claimed_rows(
    claims: QuerySet[Evaluation], digest: str, measured: Mapping[int, Mapping[str, Run]]
) -> list[tuple[int, ClaimedRow]]:
    """The newest completed claims by the suite that have rewards, each with its version, the
    highest mean first; `measured` are the hub's own runs by version and model."""
    rows = claims.filter(
        status=Evaluation.Status.COMPLETED, rewarded__gt=0, metadata__suite_digest=digest
    ).exclude(model_name="")
    newest = rows.select_related("environment__owner", "owner").only(*COLUMNS)
    claimed = []
    for row in newest.order_by("-created_at")[:MAX_CLAIMS]:
        own_mean, version = row.sample_mean, row.version_id
        if own_mean is None or version is None:
            continue
        reproduction = _reproduction(row, measured.get(version, {}).get(row.model_name))
        claim = ClaimedRow(
            evidence=REPRODUCED if reproduction.outcome == REPRODUCED else "self_reported",
            model=row.model_name,
            mean=own_mean,
            samples=row.rewarded,
            stated=row.stated_mean,
            disagrees=row.disagrees,
            reproduction=reproduction,
            owner=row.owner.name,
            url=links.evaluation(row),
            at=row.created_at,
        )
        claimed.append((version, claim))
    return sorted(claimed, key=lambda pair: -pair[1].mean)


def _reproduction(claim: Evaluation, run: Run | None) -> Reproduction:
    """Kept in the cache: an ended run never changes, and a claim only by more samples."""
    if run is None:
        return Reproduction(UNMEASURED, "the hub has not evaluated this model by this suite")
    key = f"reproduction-{claim.pk}-{claim.sample_count}-{run.pk}"
    stored: Reproduction | None = cache.get(key)
    if stored is None:
        results = samples.results_of(evaluation=claim)
        own, _ = paired_runs.rewards_of([run])
        outcome, reason, comparison = compared(
            results,
            own[run.pk],
            paired_runs.tasks_of(run),
            shown=claim.sample_mean or 0.0,
            scoring=paired_runs.declared(run),
        )
        stored = Reproduction(outcome, reason, str(run.pk), comparison)
        cache.set(key, stored, SECONDS)
    return stored


def compared(
    claim: list[SampleResult],
    own: Rewards,
    tasks: Mapping[int, Task],
    *,
    shown: float,
    scoring: Scoring,
) -> tuple[str, str, Comparison | None]:
    """The outcome, its reason and the difference; `tasks` are those of the hub's run by index,
    `shown` is the mean of all samples, `scoring` what the version declares.

    The bounds of rewards are what the hub knows, the declared range or its own rewards: bounds of
    the claim's rewards would let two outliers widen the interval until it contains 0.
    """
    named = [row for row in claim if row.task in tasks]
    if not claim:
        return UNDECIDED, "its samples do not name their tasks (example_id)", None
    bounds = bounds_over([*own.values()], scoring)
    if outside := rewards_outside([row.reward for row in claim], bounds):
        if scoring.reward is None:
            return UNDECIDED, f"{outside}, between which the hub's rewards lie", None
        return CONTRADICTED, f"{outside}, the range that the version declares", None
    others = {row.task for row in named if row.hash and row.hash != tasks[row.task][0]}
    if others:
        text = f"{len(others)} of its tasks are others than the hub's with the same index"
        return UNDECIDED, text, None
    first = means_by_task((tasks[row.task], row.reward) for row in named)
    second = means_by_task((task, reward) for (task, _), reward in own.items())
    difference = compare(first, second, bounds)
    claimed = len({row.task for row in claim})
    if difference.tasks < SHARED * max(claimed, len(second)) or not difference.tasks:
        text = f"it has {difference.tasks} of the {len(second)} tasks that the hub measured"
        return UNDECIDED, text + f", of {claimed} of its own", difference
    if not difference.is_tie:
        return CONTRADICTED, "the hub measured another mean: the interval excludes 0", difference
    half = ((difference.high or 0.0) - (difference.low or 0.0)) / 2
    if half > HALF_WIDTH * _width(own, bounds):
        text = f"{difference.tasks} tasks are too few: the difference is known to {half:.2f} only"
        return UNDECIDED, text, difference
    if not (difference.low or 0.0) <= shown - fmean(own.values()) <= (difference.high or 0.0):
        text = f"its mean {shown:.3g} over all samples is not that of the tasks that both have"
        return UNDECIDED, text, difference
    return REPRODUCED, "the interval of the difference contains 0", difference


def means_by_task(rows: Iterable[tuple[Task, float]]) -> dict[tuple[Task, int], float]:
    """The mean of each task's attempts, as the rewards of one attempt."""
    values: dict[Task, list[float]] = defaultdict(list)
    for task, reward in rows:
        values[task].append(reward)
    return {(task, 0): mean(rewards) or 0.0 for task, rewards in values.items()}


def rewards_outside(rewards: list[float], bounds: Bounds) -> str:
    """How many of the rewards of a claim lie outside the bounds; empty for none."""
    slack = ROUNDING * (bounds.high - bounds.low)
    low, high = bounds.low - slack, bounds.high + slack
    count = sum(not low <= reward <= high for reward in rewards)
    text = f"{count} of its {len(rewards)} rewards lie outside {bounds.low:g} to {bounds.high:g}"
    return text if count else ""


def _width(own: Rewards, bounds: Bounds) -> float:
    """The width of the bounds, or that of the hub's own rewards where a declared range is wider:
    in a range that no reward fills, half of it would be no limit."""
    seen = bounds_over([*own.values()], None)
    return min(bounds.high - bounds.low, seen.high - seen.low)
