"""Pays for one letter in the classic API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import verifiers as vf
from datasets import Dataset


def share(completion: Any, answer: str, state: Any, info: dict[str, str]) -> float:
    """The letter's share, with what the environment's own rollout left in the state."""
    assert [message["role"] for message in state["prompt"]] == ["system", "user"]
    assert (len(state["trajectory"]), state["started"], info) == (1, True, {"letter": answer})
    reply = completion[-1]["content"]
    value: float = reply.count(answer) / max(len(reply), 1)
    with Path("paid").open("a") as paid:
        paid.write(f"{1.5 * value}\n")
    return value


class Letters(vf.SingleTurnEnv):
    """Leaves a mark in the state of a rollout that it begins."""

    async def setup_state(self, state: Any, **options: Any) -> Any:
        """Mark it."""
        state["started"] = True
        return await super().setup_state(state, **options)


def load_environment() -> vf.Environment:
    """A task for some letters that replies at random have often."""
    rows = [
        {"question": f"Repeat {letter}.", "answer": letter, "info": {"letter": letter}}
        for letter in "aeo"
    ]
    return Letters(
        dataset=Dataset.from_list(rows),
        system_prompt="Write letters.",
        rubric=vf.Rubric(funcs=[share], weights=[1.5]),
    )
