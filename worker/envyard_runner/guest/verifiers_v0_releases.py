"""Where the releases of classic verifiers differ, in the order in which they changed.

| release | what changed |
|---|---|
| 0.1.10 | scoring takes no semaphore; data sets may be functions, which `build_dataset` calls |
| 0.1.11 | rollouts take a `verifiers.clients.Client` instead of an `AsyncOpenAI` |
| 0.1.12 | rubrics have a `cleanup` |
| 0.1.14 | environments state `requires_group_rollouts` |

Each difference is read from what the installed release has, never from its number. Source:
verifiers 0.1.9 to 0.3.1.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import json
from collections.abc import Iterable, Iterator
from typing import Any

CLIENTS = "verifiers.clients"
SEMAPHORE = "score_sem"
BATCH = 500  # rows


def client_class() -> Any:
    """The class of a rollout's client, which takes the rollout."""
    name = "verifiers_v0_clients" if importlib.util.find_spec(CLIENTS) else "verifiers_v0_openai"
    return importlib.import_module(f".{name}", __package__).RolloutClient


def has_training_rows(env: Any) -> bool:
    """Whether the environment has a training dataset, built where it is a function."""
    if hasattr(env, "build_dataset"):
        return env.build_dataset() is not None
    return env.dataset is not None


def rows(env: Any, count: int) -> tuple[str, Iterable[dict[str, Any]]]:
    """The split (`train`, or `eval` where it is the only one) and its first rows."""
    split = "train" if has_training_rows(env) else "eval"
    take = env.get_dataset if split == "train" else env.get_eval_dataset
    return split, _batched(take(count))


def evaluation_rows(env: Any, count: int) -> Iterable[dict[str, Any]] | None:
    """The first rows of the evaluation dataset beside one for training; None where there is none.

    A group of environments fills its evaluation dataset with training rows of members without one.
    """
    known = getattr(env, "eval_dataset_source", None) or getattr(env, "eval_dataset", None)
    if known is None or getattr(env, "envs", None) or not has_training_rows(env):
        return None
    return _batched(env.get_eval_dataset(count))


def first_rows(env: Any, count: int) -> tuple[str, list[dict[str, Any]]]:
    """The same rows at once."""
    split, first = rows(env, count)
    return split, [*first]


def _batched(dataset: Any) -> Iterator[dict[str, Any]]:
    """The rows of a dataset as stored, without decoding of images, some at a time."""
    for at in range(0, len(dataset), BATCH):
        yield from dataset.select(range(at, min(at + BATCH, len(dataset)))).to_list()


def row_hash(row: dict[str, Any]) -> str:
    """The sha256 of a row of the dataset."""
    canonical = json.dumps(row, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def compares(env: Any) -> bool:
    """Whether any reward compares attempts; a group of environments does not state it itself."""
    if hasattr(env, "requires_group_rollouts"):
        own = bool(env.requires_group_rollouts)
    else:
        own = _has_group_rewards(env.rubric)
    return own or any(compares(member) for member in getattr(env, "envs", ()))


def _has_group_rewards(rubric: Any) -> bool:
    return bool(rubric._get_group_reward_funcs()) or any(
        _has_group_rewards(member) for member in getattr(rubric, "rubrics", ())
    )


async def score_group(env: Any, states: list[Any]) -> None:
    """Have the environment's rubric score rollouts of one task together."""
    options = {}
    if SEMAPHORE in inspect.signature(env.rubric.score_group).parameters:
        options[SEMAPHORE] = contextlib.nullcontext()
    await env.rubric.score_group(states, **options)


async def clean_up(env: Any, states: list[Any]) -> None:
    """Have the environment's rubric clean up after scored rollouts."""
    for state in states:
        if hasattr(env.rubric, "cleanup"):
            await env.rubric.cleanup(state)
