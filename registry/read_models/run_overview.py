"""A run at a glance: a grid of tasks and attempts, histograms of its rewards, tokens and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean, median
from typing import NamedTuple

from envyard.contract.job import MODEL
from registry.runs.models import Run

STEPS = 4  # of the colour scale
BARS = 10  # of a histogram
ROLLOUTS = 20_000  # of the largest run that is shown whole


class Cell(NamedTuple):
    """The columns of a rollout that a chart of the whole run needs."""

    pk: int
    policy: str
    task: int
    attempt: int
    ok: bool
    reward: float | None
    seconds: float
    model_seconds: float
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Scale:
    """The axis of all rewards of a run: from 0 to 1, or further where rewards lie outside."""

    low: float = 0.0
    high: float = 1.0

    def position(self, reward: float) -> float:
        """From 0 at the low end to 1 at the high end."""
        return min(1.0, max(0.0, (reward - self.low) / (self.high - self.low)))

    def step(self, reward: float) -> int:
        """The step of the colour scale, from 0 to STEPS - 1."""
        return min(STEPS - 1, int(self.position(reward) * STEPS))

    @property
    def steps(self) -> list[tuple[float, float]]:
        """The rewards of each step, from and to."""
        width = (self.high - self.low) / STEPS
        return [(self.low + n * width, self.low + (n + 1) * width) for n in range(STEPS)]


@dataclass(frozen=True, slots=True)
class TaskRow:
    """The rollouts of one task, and the spread of their rewards, None without any. `cells` of the
    model has one for each attempt, None for one that has not finished."""

    task: int
    cells: list[Cell | None]
    rewards: list[float]

    @property
    def mean(self) -> float | None:
        """The mean of the group's rewards."""
        return fmean(self.rewards) if self.rewards else None

    @property
    def spread(self) -> float | None:
        """The largest reward less the smallest; 0 gives a group without a gradient."""
        return max(self.rewards) - min(self.rewards) if self.rewards else None


@dataclass(frozen=True, slots=True)
class PolicyUsage:
    """Rewards, tokens and time of one policy's rollouts."""

    policy: str
    rollouts: int
    bars: list[dict[str, float]]
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    slowest: float
    model_share: float | None


@dataclass(frozen=True, slots=True)
class Overview:
    """The cells in the order in which the rollouts finished, the tasks of the model and of the
    probes apart, and a PolicyUsage each. `is_cut`: the run has more than ROLLOUTS."""

    cells: list[Cell]
    is_cut: bool
    scale: Scale
    model: list[TaskRow]
    probes: list[TaskRow]
    usage: list[PolicyUsage]


def of_run(run: Run) -> Overview:
    """The overview of the run's first ROLLOUTS rollouts, from one query."""
    rows = run.own_rollouts.order_by("pk").values_list(*Cell._fields)[:ROLLOUTS]
    cells = [Cell(*row) for row in rows.iterator(chunk_size=2000)]
    scale = _scale(cells)
    return Overview(
        cells=cells,
        is_cut=len(cells) == ROLLOUTS,
        scale=scale,
        model=[
            TaskRow(task, _by_attempt(rows, run.attempts), _rewards(rows))
            for task, rows in _tasks(cell for cell in cells if cell.policy == MODEL)
        ],
        probes=[
            TaskRow(task, list(rows), _rewards(rows))
            for task, rows in _tasks(cell for cell in cells if cell.policy != MODEL)
        ],
        usage=[
            usage
            for policy in run.policies
            if (usage := _usage(policy, [c for c in cells if c.policy == policy], scale))
        ],
    )


def _scale(cells: Sequence[Cell]) -> Scale:
    rewards = _rewards(cells)
    return Scale(min([0.0, *rewards]), max([1.0, *rewards]))


def _tasks(cells: Iterable[Cell]) -> list[tuple[int, list[Cell]]]:
    ordered = sorted(cells, key=lambda cell: (cell.task, cell.policy, cell.attempt))
    return [(task, list(rows)) for task, rows in groupby(ordered, key=lambda cell: cell.task)]


def _by_attempt(cells: Sequence[Cell], attempts: int) -> list[Cell | None]:
    by_attempt = {cell.attempt: cell for cell in cells}
    return [by_attempt.get(n) for n in range(max(attempts, max(by_attempt) + 1))]


def _rewards(cells: Sequence[Cell]) -> list[float]:
    return [cell.reward for cell in cells if cell.reward is not None]


def _usage(policy: str, cells: Sequence[Cell], scale: Scale) -> PolicyUsage | None:
    if not cells:
        return None
    seconds = sorted(cell.seconds for cell in cells)
    total = sum(seconds)
    return PolicyUsage(
        policy=policy,
        rollouts=len(cells),
        bars=_bars(_rewards(cells), scale),
        prompt_tokens=sum(cell.prompt_tokens for cell in cells),
        completion_tokens=sum(cell.completion_tokens for cell in cells),
        seconds=median(seconds),
        slowest=seconds[-1],
        model_share=min(1.0, sum(cell.model_seconds for cell in cells) / total) if total else None,
    )


def _bars(rewards: Sequence[float], scale: Scale) -> list[dict[str, float]]:
    counts = [0] * BARS
    for reward in rewards:
        counts[min(BARS - 1, int(scale.position(reward) * BARS))] += 1
    width = (scale.high - scale.low) / BARS
    return [
        {"low": scale.low + n * width, "high": scale.low + (n + 1) * width, "count": count}
        for n, count in enumerate(counts)
    ]
