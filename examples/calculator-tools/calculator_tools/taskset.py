"""The verifiers taskset: chains in, calculator at hand, one number out."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal, Self

import verifiers.v1 as vf
from pydantic import Field, model_validator

from calculator_tools.answers import read_answer
from calculator_tools.chains import chains
from calculator_tools.server import CalculatorToolset

INSTRUCTION = (
    "\n\nUse the calculator tools, one operation at a time. When you have the result, reply with "
    "one line `Answer: <whole number>`."
)


class CalculatorToolsData(vf.TaskData):
    """One question, its answer and the operations that lead there."""

    answer: str
    steps: list[tuple[str, int, int]]
    split: str


class CalculatorToolsTask(vf.Task[CalculatorToolsData]):
    """Pays the right number in the last reply, however it was found."""

    @vf.reward(weight=1.0)
    async def correct(self, trace: vf.Trace) -> float:
        return float(read_answer(trace.last_reply) == int(self.data.answer))

    @vf.metric
    async def tools(self, trace: vf.Trace) -> dict[str, float]:
        replies = [str(message.content) for message in trace.tool_messages]
        return {
            "tool_calls": float(len(replies)),
            "tool_errors": float(sum("error" in reply for reply in replies)),
        }

    def oracle(self, messages: list[dict[str, Any]]) -> str | dict[str, Any]:
        """One tool call for each step, then the answer, by the turns taken so far."""
        turn = sum(message.get("role") == "assistant" for message in messages)
        if turn >= len(self.data.steps):
            return f"Answer: {self.data.answer}"
        name, a, b = self.data.steps[turn]
        function = {"name": name, "arguments": json.dumps({"a": a, "b": b})}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}


class CalculatorToolsConfig(vf.TasksetConfig):
    """Which questions are loaded."""

    num_tasks: int = Field(100, ge=1, le=10_000)
    seed: int = 0
    split: Literal["train", "eval"] = "train"
    min_steps: int = Field(2, ge=1, le=8)
    max_steps: int = Field(4, ge=1, le=8)
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()

    @model_validator(mode="after")
    def _range_is_ordered(self) -> Self:
        if self.min_steps > self.max_steps:
            raise ValueError(
                f"min_steps {self.min_steps} is above max_steps {self.max_steps}; swap them"
            )
        return self


class CalculatorToolsTaskset(vf.Taskset[CalculatorToolsTask, CalculatorToolsConfig]):
    """Seeded questions, the same for the same seed on every machine."""

    @classmethod
    def toolsets(cls, config: CalculatorToolsConfig) -> list[vf.Toolset]:
        return [CalculatorToolset(config.tools)]

    def load(self) -> Iterator[CalculatorToolsTask]:
        config = self.config
        stream = chains(
            seed=config.seed,
            split=config.split,
            shortest=config.min_steps,
            longest=config.max_steps,
        )
        for drawn in islice(stream, config.num_tasks):
            data = CalculatorToolsData(
                prompt=drawn.text + INSTRUCTION,
                answer=str(drawn.answer),
                steps=list(drawn.steps),
                split=config.split,
            )
            yield CalculatorToolsTask(data, config.task)
