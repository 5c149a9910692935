"""Sums of a seed, whose references only oracle() knows. The file `fails` beside the module refuses a
second seed in one process."""

# ruff: noqa
# mypy: ignore-errors

import asyncio
import random
from pathlib import Path

import verifiers.v1 as vf

LOADS = []
LOCK = asyncio.Lock()


class SumData(vf.TaskData):
    a: int
    b: int


class SumTask(vf.Task[SumData]):
    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return float(trace.last_reply.strip() == str(self.data.a + self.data.b))

    async def oracle(self, messages):
        async with LOCK:
            await asyncio.sleep(0.001)
            return str(self.data.a + self.data.b)


class SumConfig(vf.TasksetConfig):
    seed: int = 0


class SumTaskset(vf.Taskset[SumTask, SumConfig]):
    def load(self):
        LOADS.append(self.config.seed)
        asyncio.run(asyncio.sleep(0))  # refused where an event loop is running
        if len(set(LOADS)) > 1 and Path(__file__).with_name("fails").exists():
            raise RuntimeError("a second seed in one process")
        numbers = random.Random(self.config.seed)
        pairs = [(numbers.randrange(10**6), numbers.randrange(10**6)) for _ in range(30)]
        return [
            SumTask(SumData(idx=n, prompt=f"What is {a} + {b}?", a=a, b=b), self.config.task)
            for n, (a, b) in enumerate(pairs)
        ]


__all__ = ["SumTaskset"]
