"""Endings of modules that play several turns, offer tools, judge or compare, for both APIs.

A game defines `start(row)`, `respond(reply, game, row)`, which is the next message or None at the
end, and `paid(game, row)`. A text with tools defines `lookup(key)`.
"""

from __future__ import annotations

from tests.zoo.entry import Api

GAME_V1 = """
from collections.abc import Iterator

import verifiers.v1 as vf

__all__ = ["ZooEnv", "ZooTaskset"]


class ZooData(vf.TaskData):
    row: dict


class ZooState(vf.State):
    game: dict = {}


class ZooTask(vf.Task[ZooData, ZooState]):
    @vf.reward(weight=1.0)
    async def right(self, trace: vf.Trace) -> float:
        return paid(trace.state.game, self.data.row)
ORACLE

class ZooConfig(vf.TasksetConfig):
    seed: int = 0


class ZooTaskset(vf.Taskset[ZooTask, ZooConfig]):
    def load(self) -> Iterator[ZooTask]:
        for row in rows(self.config.seed):
            yield ZooTask(ZooData(prompt=row["prompt"], row=row), self.config.task)


class ZooEnv(vf.Env[vf.SingleAgentEnvConfig]):
    async def run(self, task: ZooTask, agents: vf.Agents) -> None:
        async with agents.agent.interaction(task) as chat:
            chat.trace.state.game = start(task.data.row)
            turn = await chat.turn()
            while not turn.terminated:
                message = respond(turn.last_reply, chat.trace.state.game, task.data.row)
                if message is None:
                    return
                turn = await chat.turn(message)
"""
GAME_V0 = """
import verifiers as vf
from datasets import Dataset


def row_of(state):
    return json.loads(state["info"]["row"])


def right(state, **_):
    return paid(state["game"], row_of(state))


class Game(vf.MultiTurnEnv):
    async def setup_state(self, state):
        state["game"] = start(row_of(state))
        return state

    async def env_response(self, messages, state, **_):
        content = messages[-1]["content"]
        message = respond(content if isinstance(content, str) else "", state["game"], row_of(state))
        state["game"]["over"] = message is None
        return [{"role": "user", "content": message or "The game is over."}]

    @vf.stop
    async def over(self, state):
        return state["game"].get("over", False)


def load_environment(seed: int = 0):
    columns = [
        {
            "prompt": [{"role": "user", "content": row["prompt"]}],
            ANSWER"info": {"row": json.dumps(row)},
        }
        for row in rows(seed)
    ]
    rubric = vf.Rubric(funcs=[right])
    return Game(dataset=Dataset.from_list(columns), rubric=rubric, max_turns=12)
"""
TOOLS_V1 = '''
from collections.abc import Iterator

import verifiers.v1 as vf

__all__ = ["ZooTaskset"]


class ZooToolset(vf.Toolset[vf.SharedToolsetConfig]):
    TOOL_PREFIX = None

    @vf.tool
    def look_up(self, key: str) -> str:
        """DESCRIPTION"""
        return lookup(key)


class ZooData(vf.TaskData):
    row: dict


class ZooTask(vf.Task[ZooData]):
    @vf.reward(weight=1.0)
    async def right(self, trace: vf.Trace) -> float:
        return score(trace.last_reply, self.data.row)

    def oracle(self, messages):
        if any(message.get("role") == "tool" for message in messages):
            return reference(self.data.row)
        arguments = json.dumps({"key": self.data.row["key"]})
        function = {"name": "look_up", "arguments": arguments}
        call = {"id": "call_1", "type": "function", "function": function}
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
'''
TOOLS_V0 = '''
import verifiers as vf
from datasets import Dataset


def look_up(key: str) -> str:
    """DESCRIPTION

    Args:
        key: the name of the entry
    """
    return lookup(key)


def right(completion, info, **_):
    content = completion[-1]["content"] if completion else ""
    return score(content if isinstance(content, str) else "", json.loads(info["row"]))


def load_environment(seed: int = 0):
    columns = [
        {
            "prompt": [{"role": "user", "content": row["prompt"]}],
            "answer": reference(row),
            "info": {"row": json.dumps(row)},
        }
        for row in rows(seed)
    ]
    rubric = vf.Rubric(funcs=[right])
    return vf.ToolEnv(dataset=Dataset.from_list(columns), tools=[look_up], rubric=rubric)
'''
JUDGED_V1 = """
from collections.abc import Iterator

import verifiers.v1 as vf
from openai import AsyncOpenAI

__all__ = ["ZooTaskset"]


class ZooData(vf.TaskData):
    row: dict


class ZooTask(vf.Task[ZooData]):
    @vf.reward(weight=1.0)
    async def right(self, trace: vf.Trace) -> float:
        return await judged(trace.last_reply, self.data.row)
ORACLE

class ZooConfig(vf.TasksetConfig):
    seed: int = 0


class ZooTaskset(vf.Taskset[ZooTask, ZooConfig]):
    def load(self) -> Iterator[ZooTask]:
        for row in rows(self.config.seed):
            yield ZooTask(ZooData(prompt=row["prompt"], row=row), self.config.task)
"""
JUDGED_V0 = """
import verifiers as vf
from datasets import Dataset
from openai import AsyncOpenAI


async def right(completion, info, **_):
    content = completion[-1]["content"] if completion else ""
    return await judged(content if isinstance(content, str) else "", json.loads(info["row"]))


def load_environment(seed: int = 0):
    columns = [
        {
            "prompt": [{"role": "user", "content": row["prompt"]}],
            ANSWER"info": {"row": json.dumps(row)},
        }
        for row in rows(seed)
    ]
    rubric = vf.Rubric(funcs=[right])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(columns), rubric=rubric)
"""
COMPARED_V0 = """
import verifiers as vf
from datasets import Dataset


def compared(completions, infos=None, info=None, **options):
    infos = infos or info
    rows_of = [json.loads(each["row"]) for each in infos] if infos else None
    texts = [completion[-1]["content"] or "" for completion in completions]
    return compare(texts, rows_of or [{}] * len(texts))


def load_environment(seed: int = 0):
    columns = [
        {
            "prompt": [{"role": "user", "content": row["prompt"]}],
            "answer": reference(row),
            "info": {"row": json.dumps(row)},
        }
        for row in rows(seed)
    ]
    rubric = vf.Rubric(funcs=[compared])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(columns), rubric=rubric)
"""
GAME: dict[Api, str] = {"v1": GAME_V1, "v0": GAME_V0}
TOOLS: dict[Api, str] = {"v1": TOOLS_V1, "v0": TOOLS_V0}
JUDGED: dict[Api, str] = {"v1": JUDGED_V1, "v0": JUDGED_V0}
COMPARED: dict[Api, str] = {"v0": COMPARED_V0}
