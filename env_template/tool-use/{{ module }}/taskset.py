"""The verifiers taskset: which tasks there are, which tools, and what each task pays."""

import json
from collections.abc import Iterator

import verifiers.v1 as vf
from pydantic import Field

from {{ module }}.server import {{ class_name }}Toolset
from {{ module }}.shop import PRICES, orders, score

INSTRUCTION = (
    "A customer orders {order}. Ask the price tool what each item costs, then reply with the "
    "total in cents on a line of its own: Answer: <number>"
)


class {{ class_name }}Data(vf.TaskData):
    """One task's row; everything in it is part of the task's identity."""

    order: dict[str, int]

    @property
    def total(self) -> int:
        """The right answer in cents."""
        return sum(count * PRICES[item] for item, count in self.order.items())


class {{ class_name }}Task(vf.Task[{{ class_name }}Data]):
    """Pays the right total. Add @vf.metric methods for what you want to watch but not to pay."""

    @vf.reward(weight=1.0)
    async def correct(self, trace: vf.Trace) -> float:
        return score(trace.last_reply, self.data.total)

    @vf.metric
    async def tool_calls(self, trace: vf.Trace) -> float:
        return float(len(trace.tool_messages))

    def oracle(self, messages: list[dict]) -> str | dict:
        """The next reply of a perfect policy: a call for each price in turn, then the answer."""
        turn = sum(message["role"] == "assistant" for message in messages)
        items = list(self.data.order)
        if turn >= len(items):
            return f"Answer: {self.data.total}"
        function = {"name": "price", "arguments": json.dumps({"item": items[turn]})}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}


class {{ class_name }}Config(vf.TasksetConfig):
    """The options that users of this environment can set."""

    num_tasks: int = Field(100, ge=1, le=10_000)
    seed: int = 0
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()


class {{ class_name }}Taskset(vf.Taskset[{{ class_name }}Task, {{ class_name }}Config]):
    """Yields the tasks, the same for the same seed on every machine."""

    @classmethod
    def toolsets(cls, config: {{ class_name }}Config) -> list[vf.Toolset]:
        return [{{ class_name }}Toolset(config.tools)]

    def load(self) -> Iterator[{{ class_name }}Task]:
        for order in orders(seed=self.config.seed, count=self.config.num_tasks):
            items = " and ".join(f"{count} x {item}" for item, count in order.items())
            data = {{ class_name }}Data(prompt=INSTRUCTION.format(order=items), order=order)
            yield {{ class_name }}Task(data, self.config.task)
