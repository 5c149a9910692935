"""Single turn over a seeded dataset with splits; the right answer is in the row."""

import random
from collections.abc import Iterator
from typing import Literal

import verifiers.v1 as vf

WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord"]


class WordData(vf.TaskData):
    answer: str


class WordTask(vf.Task[WordData]):
    @vf.reward(weight=2.0)
    async def exact(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == self.data.answer)

    @vf.reward(weight=0.5)
    async def short(self, trace: vf.Trace) -> float:
        return float(0 < len(trace.last_reply) < 10)

    @vf.metric
    async def length(self, trace: vf.Trace) -> float:
        return float(len(trace.last_reply))


class WordConfig(vf.TasksetConfig):
    seed: int | None = None
    split: Literal["train", "eval"] = "eval"


class WordTaskset(vf.Taskset[WordTask, WordConfig]):
    INFINITE = True

    def load(self) -> Iterator[WordTask]:
        words = random.Random(self.config.seed)
        while True:
            word = words.choice(WORDS) + str(words.randrange(1000))
            data = WordData(prompt=f"Say {word}", system_prompt="Repeat one word.", answer=word)
            yield WordTask(data, self.config.task)


__all__ = ["WordTaskset"]
