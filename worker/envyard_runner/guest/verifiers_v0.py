"""Classic verifiers: packages with a `load_environment`, played by their own rollout and rubric.

Its rubrics turn an exception in a reward function into a reward of zero; here it is an error. Its
client turns an empty reply into an error; here it is a reply. Source: verifiers 0.1.9 to 0.3.1.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import importlib
import inspect
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import verifiers as vf
from verifiers.errors import ModelError

from . import seeds, verifiers_v0_oracle, web
from . import verifiers_v0_releases as releases
from .adapter import Outcome, Rollout, Task
from .answers import plain_answer
from .events import error_of
from .job import GuestJob
from .rollout_context import rollout as named_rollout
from .sampling import sampling_of
from .verifiers_v0_messages import wire


@dataclass(slots=True)
class Scores:
    """What a rollout's reward functions returned, with their weights, and the first that raised."""

    rollout: str = ""
    parts: dict[str, tuple[float, float]] = field(default_factory=dict)
    error: Exception | None = None

    def add(self, name: str, score: float, weight: float) -> None:
        """Keep one score; a name that two rubrics share is numbered."""
        same_name = [known for known in self.parts if known == name or known.startswith(f"{name}#")]
        self.parts[f"{name}#{len(same_name) + 1}" if same_name else name] = (score, weight)


scoring: contextvars.ContextVar[dict[int, Scores]] = contextvars.ContextVar("scores")


class VerifiersV0:
    """Plays one classic environment."""

    seed_entry = "load_environment()"

    def __init__(self, job: GuestJob) -> None:
        self.job = job
        self.version = str(vf.__version__)
        self.module: Any = None
        self.env: Any = None
        self.http: Any = None
        self.seeds: dict[str, int] = {}
        self.client_class = releases.client_class()

    def prepare(self) -> None:
        """Make the client, and have every rubric note its scores."""
        os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
        self.http = web.client()
        record_rubric_scores()

    def import_environment(self) -> None:
        """Import the module."""
        self.module = importlib.import_module(self.job.module)

    def load(self) -> list[Task]:
        """The first rows of the training dataset, or of the evaluation one if it is the only."""
        self.seeds = seeds.options(self.module.load_environment, self.job.seed)
        self.env = self.module.load_environment(**self.seeds)
        return [*self.every_task(self.job.tasks)]

    @contextlib.asynccontextmanager
    async def shared_resources(self) -> AsyncIterator[None]:
        """The HTTP client, whose settings those of rollouts share."""
        async with self.http:
            yield

    bounded = True  # data sets have a length

    def every_task(self, limit: int) -> Iterator[Task]:
        """The rows of the split that is played, from the first."""
        split, rows = releases.rows(self.env, limit)
        hook = verifiers_v0_oracle.function(self.module) is not None
        return (_task(index, row, split, hook) for index, row in enumerate(rows))

    def evaluation_tasks(self, limit: int) -> Iterator[Task] | None:
        """The rows of the evaluation dataset beside one for training."""
        rows = releases.evaluation_rows(self.env, limit)
        if rows is None:
            return None
        return (_task(index, row, "eval", hook=False) for index, row in enumerate(rows))

    def fields(self, task: Task) -> dict[str, Any]:
        """The row."""
        return dict(task.source)

    @property
    def compares(self) -> bool:
        """Whether a reward compares the attempts at a task."""
        return releases.compares(self.env)

    async def play(self, rollouts: list[Rollout]) -> list[Outcome]:
        """Generate each rollout, then score them together, as the framework's evaluation does."""
        async with contextlib.AsyncExitStack() as clients:  # scoring may ask the policy too
            return await self._play(rollouts, clients)

    async def _play(
        self, rollouts: list[Rollout], clients: contextlib.AsyncExitStack
    ) -> list[Outcome]:
        states = await asyncio.gather(*(self._generate(rollout, clients) for rollout in rollouts))
        scores = {
            id(state): Scores(rollout.id) for state, rollout in zip(states, rollouts, strict=True)
        }
        scoring.set(scores)
        started = time.monotonic()
        await releases.score_group(self.env, list(states))
        seconds = time.monotonic() - started
        await releases.clean_up(self.env, states)
        return [outcome(state, scores[id(state)], seconds) for state in states]

    async def _generate(self, rollout: Rollout, clients: contextlib.AsyncExitStack) -> Any:
        named = sampling_of(self.job.temperature, self.job.top_p, self.job.max_tokens)
        sampling = {**self.env.sampling_args, **named}
        client = self.client_class(rollout)
        clients.push_async_callback(client.close)
        row = dict(rollout.task.source)
        with named_rollout(rollout.id):
            return await self.env.rollout(row, client, self.job.model, sampling)


def record_rubric_scores() -> None:
    """Make every rubric record what its functions return or raise, for the rollout being scored."""
    score_one, score_group = (
        vf.Rubric._call_individual_reward_func,
        vf.Rubric._call_group_reward_func,
    )

    async def call_one(self: Any, func: Any, state: Any, **options: Any) -> Any:
        recorded = recording(self, func, [state], lambda value: [value])
        return await score_one(self, recorded, state, **options)

    async def call_group(self: Any, func: Any, states: Any, **options: Any) -> Any:
        return await score_group(self, recording(self, func, states, list), states, **options)

    vf.Rubric._call_individual_reward_func = call_one
    vf.Rubric._call_group_reward_func = call_group


def recording(rubric: Any, func: Any, states: list[Any], values: Callable[[Any], list[Any]]) -> Any:
    """The reward function, with its result recorded before the rubric turns exceptions into
    zeros."""
    all_scores = [scoring.get()[id(state)] for state in states]

    @functools.wraps(func)
    async def recorded(*args: Any, **kwargs: Any) -> Any:
        try:
            with named_rollout(all_scores[0].rollout if len(all_scores) == 1 else ""):
                value = func(*args, **kwargs)
                value = await value if inspect.isawaitable(value) else value
            for scores, score in zip(all_scores, values(value), strict=True):
                scores.add(func.__name__, float(score), weight_of(rubric, func))
        except Exception as error:
            for scores in all_scores:
                scores.error = scores.error or error
            raise
        return value

    return recorded


def weight_of(rubric: Any, func: Any) -> float:
    """The weight a rubric gives to one of its functions."""
    return next(
        (float(w) for f, w in zip(rubric.funcs, rubric.weights, strict=False) if f == func), 0.0
    )


def outcome(state: Any, scores: Scores, scoring_seconds: float) -> Outcome:
    """A finished state as an outcome. Parts of weight zero are metrics, as the framework has it."""
    failed = state.get("error") or scores.error
    parts = scores.parts or {"reward": (float(state.get("reward") or 0.0), 1.0)}
    return Outcome(
        rewards={name: part for name, part in parts.items() if part[1]},
        metrics={name: score for name, (score, weight) in parts.items() if not weight},
        messages=[*wire(state.get("prompt")), *wire(state.get("completion"))],
        turns=len(state.get("trajectory") or []),
        stop=state.get("stop_condition"),
        truncated=bool(state.get("is_truncated")),
        scoring_seconds=scoring_seconds,
        error=None
        if failed is None
        else error_of(failed, "model" if isinstance(failed, ModelError) else "environment"),
    )


def _task(index: int, row: dict[str, Any], split: str, hook: bool) -> Task:
    messages = wire(row.get("prompt"))
    return Task(
        index=index,
        hash=releases.row_hash(row),
        prompt="\n\n".join(_text(message["content"]) for message in messages),
        answer=plain_answer(row.get("answer")) or None,
        split=split,
        hook=hook,
        source=row,
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or "" for part in content if isinstance(part, dict))
