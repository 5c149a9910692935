"""Endings whose references take several steps: turns of a game, or calls of tools.

A game's row holds its `replies`. A row with tools holds what they work on (`held`), the `steps`,
which are calls, and the `last` reply; `paid(held, reply, row)` judges both. Tools are written as
those of a Toolset, whose state is `self.state.held`.
"""

from __future__ import annotations

import re
import textwrap

from tests.zoo.endings import GAME
from tests.zoo.entry import Api

TURN_BY_TURN = """
    def oracle(self, messages):
        turn = sum(message["role"] == "assistant" for message in messages)
        return self.data.row["replies"][min(turn, len(self.data.row["replies"]) - 1)]
"""
TURN_BY_TURN_V0 = """
def oracle(task, messages):
    replies = json.loads(task["info"]["row"])["replies"]
    turn = sum(message["role"] == "assistant" for message in messages)
    return replies[min(turn, len(replies) - 1)]
"""
TURNS: dict[Api, str] = {
    "v1": GAME["v1"].replace("ORACLE", TURN_BY_TURN),
    "v0": GAME["v0"].replace("ANSWER", "") + TURN_BY_TURN_V0,
}
STEPS_V1 = """
import json
import random
from collections.abc import Iterator

import verifiers.v1 as vf

__all__ = ["ZooTaskset"]


class ZooState(vf.State):
    held: dict = {}


class ZooToolset(vf.Toolset[vf.SharedToolsetConfig, ZooState]):
    TOOL_PREFIX = None
TOOLS


class ZooData(vf.TaskData):
    row: dict


class ZooTask(vf.Task[ZooData, ZooState]):
    async def setup(self, trace: vf.Trace) -> None:
        trace.state.held = dict(self.data.row["held"])

    @vf.reward(weight=1.0)
    async def right(self, trace: vf.Trace) -> float:
        return paid(trace.state.held, trace.last_reply, self.data.row)

    def oracle(self, messages):
        turn = sum(message["role"] == "assistant" for message in messages)
        steps = self.data.row["steps"]
        if turn >= len(steps):
            return self.data.row["last"]
        name, arguments = steps[turn]
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}


class ZooConfig(vf.TasksetConfig):
    seed: int = 0
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()


class ZooTaskset(vf.Taskset[ZooTask, ZooConfig]):
    @classmethod
    def toolsets(cls, config: ZooConfig) -> list[vf.Toolset]:
        return [ZooToolset(config.tools)]

    def load(self) -> Iterator[ZooTask]:
        for row in rows(self.config.seed):
            yield ZooTask(ZooData(prompt=row["prompt"], row=row), self.config.task)


if __name__ == "__main__":
    ZooToolset.run()
"""
STEPS_V0 = """
import json
import random

import verifiers as vf
from datasets import Dataset

TOOLS

def row_of(state):
    return json.loads(state["info"]["row"])


def right(completion, state, **_):
    content = completion[-1]["content"] if completion else ""
    return paid(state["held"], content if isinstance(content, str) else "", row_of(state))


class Steps(vf.StatefulToolEnv):
    async def setup_state(self, state):
        state = await super().setup_state(state) or state
        state["held"] = dict(row_of(state)["held"])
        return state

    def update_tool_args(self, tool_name, tool_args, messages, state, **_):
        return {**tool_args, "held": state["held"]}


def oracle(task, messages):
    row = json.loads(task["info"]["row"])
    turn = sum(message["role"] == "assistant" for message in messages)
    if turn >= len(row["steps"]):
        return row["last"]
    name, arguments = row["steps"][turn]
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{turn}", "type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def load_environment(seed: int = 0):
    columns = [
        {
            "prompt": [{"role": "user", "content": row["prompt"]}],
            "info": {"row": json.dumps(row)},
        }
        for row in rows(seed)
    ]
    rubric = vf.Rubric(funcs=[right])
    env = Steps(dataset=Dataset.from_list(columns), rubric=rubric, max_turns=30)
    for tool in (NAMES):
        env.add_tool(tool, args_to_skip=["held"])
    return env
"""


def steps(tools: str) -> dict[Api, str]:
    """The ending with these tools."""
    functions = textwrap.dedent(tools.replace("    @vf.tool\n", ""))
    functions = functions.replace("(self)", "(held: dict)").replace("(self, ", "(held: dict, ")
    functions = functions.replace("self.state.held", "held")
    names = "".join(f"{name}, " for name in re.findall(r"^def (\w+)", functions, re.MULTILINE))
    return {
        "v1": STEPS_V1.replace("TOOLS\n", tools),
        "v0": STEPS_V0.replace("TOOLS\n", functions.replace("\ndef ", "\n\ndef ")).replace(
            "NAMES", names
        ),
    }
