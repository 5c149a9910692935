"""Pages of environments whose model learns something, nothing, or has names that attack a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.card import services as cards
from registry.catalog.search import documents
from registry.models import User
from tests.factories import make_rollout, make_run, make_version
from tests.frontend.gallery import HOSTILE
from tests.registry.run_factories import make_facts

MODEL = "org/Tiny-0.1B"
REWARDS = {
    "useful": [
        [float((task * attempt) % 5 < task % 4) for attempt in range(8)] for task in range(40)
    ],
    "flat": [[0.0] * 4] * 5,
}


def pages(alice: User) -> dict[str, str]:
    """The address of each page by a name for it; the rows behind it are made here."""
    for name, rewards in REWARDS.items():
        played(alice, name, rewards, model=MODEL, part="format_reward")
    played(alice, "attack", [[0.0, 1.0]] * 3, model=(HOSTILE + "x" * 150)[:200], part=HOSTILE)
    documents.rebuild()
    addresses = {"search-learnable": "/envs/?sort=learnability"}
    for name in (*REWARDS, "attack"):
        addresses[f"environment-{name}"] = f"/envs/alice/{name}/"
        addresses[f"version-{name}"] = f"/envs/alice/{name}/0.1.0/"
    return addresses


def played(
    alice: User, name: str, rewards: Sequence[Sequence[float]], *, model: str, part: str
) -> None:
    """A listed version whose model earned these rewards, task by task, with its card."""
    run = make_run(
        make_version(alice, name, summary="Sort words."),
        policies=["silent", "oracle", "model"],
        model=model,
        tasks=len(rewards),
        attempts=len(rewards[0]),
        facts=make_facts(len(rewards)).to_dict(),
    )
    for task, attempts in enumerate(rewards):
        make_rollout(run, "silent", task, reward=0.0)
        make_rollout(run, "oracle", task, reward=1.0)
        for attempt, reward in enumerate(attempts):
            fields: dict[str, Any] = {"turns": 1 + attempt % 3, "seconds": 1.5 + attempt}
            fields |= {
                "prompt_tokens": 200,
                "completion_tokens": 40 * (1 + attempt),
                "rewards": {
                    "exact": {"score": reward, "weight": 1.0},
                    part: {"score": 0.5 + reward / 2, "weight": 0.0},
                },
            }
            make_rollout(run, "model", task, attempt=attempt, reward=reward, **fields)
    cards.compute(run=run)
