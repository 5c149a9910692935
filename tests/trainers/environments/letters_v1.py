"""Pays for one letter, by what its hooks keep in the runtime and in the state of the rollout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import verifiers.v1 as vf

__all__ = ["Letters"]


def note(reward: float) -> None:
    """Append what a reply earns to a file that the test reads."""
    with Path("paid").open("a") as paid:
        paid.write(f"{reward}\n")


class LettersData(vf.TaskData):
    """One letter."""

    letter: str


class LettersState(vf.State):
    """How many replies `finalize` has seen."""

    replies: int = 0


class LettersTask(vf.Task[LettersData, LettersState]):
    """Pays the letter's share twice: once in full, once by half."""

    async def setup(self, runtime: vf.Runtime) -> None:
        await runtime.write("letter", self.data.letter.encode())

    async def finalize(self, trace: vf.Trace) -> None:
        trace.state.replies = len(trace.assistant_messages)

    @vf.reward(weight=1.0)
    async def share(self, trace: vf.Trace, runtime: vf.Runtime) -> float:
        assert [message.role for message in trace.messages] == ["system", "user", "assistant"]
        assert (trace.state.replies, trace.num_turns) == (1, 1)
        letter = (await runtime.read("letter")).decode()
        return trace.last_reply.count(letter) / max(len(trace.last_reply), 1)

    @vf.reward(weight=0.5, priority=-1)
    async def again(self, trace: vf.Trace) -> float:
        value = trace.last_reply.count(self.data.letter) / max(len(trace.last_reply), 1)
        note(1.5 * value)
        return value


class Letters(vf.Taskset[LettersTask, vf.TasksetConfig]):
    """A task for some letters that replies at random have often."""

    def load(self) -> Iterator[LettersTask]:
        for letter in "aeo":
            data = LettersData(
                prompt=f"Repeat {letter}.", system_prompt="Write letters.", letter=letter
            )
            yield LettersTask(data, self.config.task)
