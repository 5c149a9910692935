"""The environment of both sides: eight turns, each with one more number to add."""

from __future__ import annotations

import random

from tests.wheels import make_wheel

MODULE = "eight_turns"
TURNS = 8
TASKS = 64
SOURCE = f'''"""Adds up one number per turn."""

import random

import verifiers as vf
from datasets import Dataset

TURNS, TASKS = {TURNS}, {TASKS}
RULE = "Keep the sum of all numbers that I tell you. "


class EightTurns(vf.MultiTurnEnv):
    async def setup_state(self, state):
        dice = random.Random(state["prompt"][-1]["content"])
        state["numbers"] = dice.choices(range(1, 100), k=TURNS)
        return state

    async def env_response(self, messages, state, **kwargs):
        turn = len(state["trajectory"])
        number = state["numbers"][turn - 1]
        text = f"That was turn {{turn}} of {{TURNS}}. Add {{number}} to your sum, and tell the sum "
        return [{{"role": "user", "content": text + "in one sentence that ends with a dot. " * 4}}]

    @vf.stop
    async def played(self, state):
        return len(state["trajectory"]) >= TURNS


def told_a_sum(completion, **kwargs):
    return float(str(completion[-1]["content"]).rstrip().endswith("42."))


def turns_played(state):
    return float(len(state["trajectory"]))


def load_environment():
    rows = [
        {{"question": f"Game {{n}}: begin with {{n}}. " + RULE * 8, "answer": str(n)}}
        for n in range(TASKS)
    ]
    return EightTurns(
        dataset=Dataset.from_list(rows),
        eval_dataset=Dataset.from_list(rows),
        rubric=vf.Rubric(funcs=[told_a_sum, turns_played], weights=[1.0, 0.0]),
        max_turns=TURNS,
    )
'''


def wheel() -> bytes:
    """Its wheel, for a runner."""
    return make_wheel(
        MODULE.replace("_", "-"),
        files={f"{MODULE}/__init__.py": SOURCE},
        metadata={"Requires-Dist": ["verifiers"]},
    )


def history(size: int) -> list[dict[str, str]]:
    """A conversation of that many bytes: one message for 1 KB, eight turns for more."""
    turns = 1 if size <= 2048 else 2 * TURNS - 1
    words = random.Random(size)
    text = " ".join(words.choice(("sum", "number", "turn", "add")) for _ in range(size // 4))
    part = size // turns
    return [
        {
            "role": "assistant" if n % 2 else "user",
            "content": f"{n} {text[n * part : (n + 1) * part]}",
        }
        for n in range(turns)
    ]
