"""Repeat recorded verdicts to a trainer's host, whose judge calls name no rollout.

The host plays one group of rollouts after the other, so a question belongs to the group whose
policy was called last, or, once that ended, to the next one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from envyard.contract.values import text
from envyard_runner.gateway.judge.call import JudgeCall
from envyard_runner.gateway.judge.recorded import RUN, SHOWN_CHARACTERS
from envyard_runner.gateway.judge.records import JudgeRecords, Verdicts
from envyard_runner.gateway.reply import Refusal, Reply
from envyard_runner.probing.chat_text import plain_text

LINE_SECONDS = 0.25  # a group's result was written before the next one began, and is read by then


class TrainingVerdicts:
    """The recorded verdicts for the groups of `plays`, each a list of rollouts, in their order.

    `differences` has the beginning of a question that was not recorded, by the number of the group
    that asked it. Where several rollouts of one group, or the run itself, asked one
    question and got different verdicts, it counts as not recorded: whose it is cannot be known.
    """

    def __init__(self, records: JudgeRecords) -> None:
        self.plays: list[list[str]] = []
        self.differences: dict[int, str] = {}
        self._records = records
        self._current, self._ended = 0, -1
        self._left: dict[int, list[Verdicts]] = {}
        self._run = records.verdicts(RUN)

    def enter(self, play: int) -> None:
        """Note that a group called its policy."""
        self._current = max(self._current, play)

    def leave(self, play: int) -> None:
        """Note that a group ended."""
        self._ended = max(self._ended, play)

    async def answer(self, _rollout: str, call: JudgeCall) -> Reply:
        """The recorded verdict; raises Refusal 400 for a question that was not recorded."""
        near = range(self._current, min(self._current + 2, len(self.plays)))
        for play in near:
            if reply := self._take(play, call.digest):
                return reply
        if reply := _unanimous([self._run.get(call.digest, deque())]):
            return reply
        if self._current not in self.differences:
            await asyncio.sleep(LINE_SECONDS)
        play = near[-1] if self._ended >= self._current else self._current
        shown = text(plain_text(call.messages[-1].get("content")), SHOWN_CHARACTERS)
        self.differences.setdefault(play, shown)
        raise Refusal(400, "judge_not_recorded", "the recorded rollout did not ask this")

    def _take(self, play: int, digest: str) -> Reply | None:
        """The next verdict of a group for a question; None where none is left."""
        if play not in self._left:
            self._left[play] = [self._records.verdicts(name) for name in self.plays[play]]
        queues = [verdicts[digest] for verdicts in self._left[play] if verdicts.get(digest)]
        if len(queues) > 1 and not _unanimous(queues):
            return None
        return queues[0].popleft() if queues else None


def _unanimous(queues: Sequence[deque[Reply]]) -> Reply | None:
    """The verdict that all of these are; None where there is none or two differ."""
    replies = [reply for queue in queues for reply in queue]
    alike = replies and all(reply.message == replies[0].message for reply in replies)
    return replies[0] if alike else None
