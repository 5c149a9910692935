"""Classic games whose second turn shows what the task's name states.

first: something that only the run's own sandbox has. chance: another word each time. same: the same
everywhere.
"""

# ruff: noqa
# mypy: ignore-errors

import uuid

import verifiers as vf
from datasets import Dataset


def shown(kind):
    if kind == "first":
        first = open("/venv/environment/sandbox").read() == "1"
        return "An easy hint: 4." if first else "No hint."
    return str(uuid.uuid4()) if kind == "chance" else "Go on."


class Game(vf.MultiTurnEnv):
    async def env_response(self, messages, state, **kwargs):
        content = shown(state["answer"])
        return [{"role": "user", "content": content}]

    @vf.stop
    async def ended(self, state):
        return len(state["trajectory"]) >= 2


def load_environment():
    kinds = ("first", "chance", "same", "first", "first", "first", "first")
    if __name__ == "draws":
        kinds = ("chance", "same", "chance")
    rows = [{"question": f"{at}: what is {kind}?", "answer": kind} for at, kind in enumerate(kinds)]
    rubric = vf.Rubric(funcs=[lambda completion, **_: 0.5])
    return Game(dataset=Dataset.from_list(rows), rubric=rubric)
