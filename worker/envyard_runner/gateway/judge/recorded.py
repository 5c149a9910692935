"""Repeat recorded verdicts to replays: no question reaches the judge's server again."""

from __future__ import annotations

from collections import Counter

from envyard.contract.values import text
from envyard_runner.gateway.judge.call import JudgeCall
from envyard_runner.gateway.judge.records import JudgeRecords, Verdicts
from envyard_runner.gateway.reply import Refusal, Reply
from envyard_runner.probing.chat_text import plain_text

SHOWN_CHARACTERS = 160
RUN = ""  # the rollout of calls that name none


class RecordedVerdicts:
    """The verdicts of a run's first sandbox by rollout and question, each repeated once.

    The n-th identical question of a rollout gets its n-th verdict; after those, one of the calls
    that named no rollout. `diverged` counts the questions that were never recorded, and
    `differences` has the beginning of the first of each rollout.
    """

    def __init__(self, records: JudgeRecords) -> None:
        self.diverged: Counter[str] = Counter()
        self.differences: dict[str, str] = {}
        self._records = records
        self._left: dict[str, Verdicts] = {}

    async def answer(self, rollout: str, call: JudgeCall) -> Reply:
        """The recorded verdict; raises Refusal 400 for a question that was not recorded."""
        for name in dict.fromkeys((rollout, RUN)):
            if name not in self._left:
                self._left[name] = self._records.verdicts(name)
            if queue := self._left[name].get(call.digest):
                return queue.popleft()
        self.diverged[rollout] += 1
        last = call.messages[-1]
        shown = text(plain_text(last.get("content")), SHOWN_CHARACTERS)
        self.differences.setdefault(rollout, shown)
        raise Refusal(400, "judge_not_recorded", "the recorded rollout did not ask this")
