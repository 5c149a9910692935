"""The verifiers taskset: texts in, tagged reversals out."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

import verifiers.v1 as vf
from pydantic import Field

from reverse_text import rewards
from reverse_text.texts import texts

INSTRUCTION = (
    "Reverse the text below character by character, so that its last character comes first. "
    "Keep spaces, punctuation and letter case. Put the result into one <reversed_text> tag and "
    "close the tag.\n\nText:\n"
)


class ReverseTextData(vf.TaskData):
    """One text and its reverse."""

    text: str
    answer: str
    split: str


class ReverseTextTask(vf.Task[ReverseTextData]):
    """Pays the share of the reversal that is right, above a floor."""

    @vf.reward(weight=1.0)
    async def reversal(self, trace: vf.Trace) -> float:
        return rewards.score(trace.last_reply, self.data.answer)

    @vf.metric
    async def lcs_ratio(self, trace: vf.Trace) -> float:
        return rewards.lcs_ratio(self.data.answer, rewards.extract(trace.last_reply) or "")

    @vf.metric
    async def format_ok(self, trace: vf.Trace) -> float:
        return float(rewards.extract(trace.last_reply) is not None)

    def oracle(self, messages: list[dict[str, Any]]) -> str:
        """The reply that earns the top reward."""
        return f"<reversed_text>{self.data.answer}</reversed_text>"


class ReverseTextConfig(vf.TasksetConfig):
    """Which texts are loaded."""

    num_tasks: int = Field(100, ge=1, le=10_000)
    seed: int = 0
    split: Literal["train", "eval"] = "train"


class ReverseTextTaskset(vf.Taskset[ReverseTextTask, ReverseTextConfig]):
    """Seeded sentences, the same for the same seed on every machine."""

    def load(self) -> Iterator[ReverseTextTask]:
        config = self.config
        for text in islice(texts(seed=config.seed, split=config.split), config.num_tasks):
            data = ReverseTextData(
                prompt=INSTRUCTION + text, text=text, answer=text[::-1], split=config.split
            )
            yield ReverseTextTask(data, config.task)
