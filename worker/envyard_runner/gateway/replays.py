"""Which finished rollouts are played again, and what came of it.

Inside, a replay is a rollout like any other: a random word, in mixed order, answered at once. Out
here it is answered from the record of the first, and counts for nothing else: not for the plan,
the budgets or the progress of its run. docs/decisions/0025 says why.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from envyard.contract.job import JobSpec
from envyard.contract.replay import Replay, Replayed
from envyard_runner.gateway.ledger import Record
from envyard_runner.gateway.recorded_replies import Tape
from envyard_runner.gateway.recorder import Recorder

MOST = 32
POLICY = "replay"  # of a replay's own record: no probe, and no model
NO_REWARD = "it has no reward to compare"
LATE = "the run's time was nearly over"
OTHER_TASK = "its task was another one when loaded again"
OTHERS = "another attempt of its group cannot be repeated"
NOT_ENDED = "its second playing did not end in the time there was"
TOO_LONG = "it took longer than a rollout may when played again"

_shuffle = random.SystemRandom().shuffle


class Replays:
    """The sample of one run's rollouts that are to be played again.

    First they are chosen, then each is kept as it ends, then all that can be repeated is told.
    """

    def __init__(self, job: JobSpec) -> None:
        self._seed = f"{job.seed}/{job.run}"
        self._groups: list[list[str]] = []
        self._expected: list[str] = []
        self._tapes: dict[str, Tape] = {}
        self._why: dict[str, str] = {}
        self._again: dict[str, tuple[str, Record]] = {}
        self._found: dict[str, Replay] = {}
        self._told: list[list[dict[str, Any]]] = []
        self._made = asyncio.Event()

    def choose(self, groups: Sequence[Sequence[str]], expected: Collection[str]) -> None:
        """Pick groups of at most MOST rollouts together, by the job's seed: every policy in turn,
        and of each one as many tasks as there are."""
        dice = random.Random(self._seed)  # noqa: S311  (repeatable on purpose)
        lines: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
        for group in sorted(groups, key=lambda group: group[0]):
            lines[group[0].partition("/")[0]].append(group)
        for line in lines.values():
            dice.shuffle(line)
            line.sort(key=lambda group: int(group[0].rpartition("/")[2]))
        turns = [
            group
            for turn in range(max(map(len, lines.values()), default=0))
            for _, line in sorted(lines.items())
            for group in line[turn : turn + 1]
        ]
        room = MOST
        for group in turns:
            if len(group) <= room:
                self._groups.append(list(group))
                room -= len(group)
        chosen = (rollout for group in self._groups for rollout in group)
        self._expected = [rollout for rollout in chosen if rollout in expected]

    def keep(self, record: Record, *, rewarded: bool) -> None:
        """Take in how a rollout ended, and its record if it is to be played again."""
        if any(record.rollout in group for group in self._groups):
            if why := _unrepeatable(record) if rewarded else NO_REWARD:
                self._why[record.rollout] = why
            else:
                self._tapes[record.rollout] = Tape(record.recorder.transcript)

    def start(self, *, alike: Collection[int], late: bool) -> None:
        """Tell what is to be played, nothing where it is too `late`; of `alike` tasks only: those
        that the second sandbox has loaded as the first did."""
        for group in self._groups:
            if why := self._against(group, alike, late):
                self._why |= {rollout: self._why.get(rollout, why) for rollout in group}
            else:
                self._told.append([self._hide(rollout) for rollout in group])
        _shuffle(self._told)
        self._made.set()

    async def told(self) -> list[list[dict[str, Any]]]:
        """What is to be played again, once that is known: groups of rollouts and their tasks."""
        await self._made.wait()
        return self._told

    def record(self, word: str) -> Record | None:
        """Where the calls of a replay are answered from; None where the word names none."""
        return self._again[word][1] if word in self._again else None

    def name(self, word: str) -> str | None:
        """The rollout that is played again under a random word, None where there is none."""
        return self._again[word][0] if word in self._again else None

    def ended(self, word: str, replay: Replay) -> bool:
        """Take in what a replay gave; False where the word names none or it ended before."""
        rollout, record = self._again.get(word, ("", None))
        if record is None or record.tape is None or rollout in self._found:
            return False
        record.tape.end()
        self._found[rollout] = replace(
            replay, diverged=record.tape.diverged, asked=record.tape.asked
        )
        return True

    @property
    def results(self) -> list[Replayed]:
        """What came of every rollout of the sample, once nothing more is played."""
        if not self._made.is_set():
            return []
        return [_replayed(name, self._result(name)) for name in self._expected]

    def _result(self, rollout: str) -> Replay:
        if rollout in self._found:
            return self._found[rollout]
        return Replay(left_out=self._why.get(rollout, NOT_ENDED))

    def _against(self, group: list[str], alike: Collection[int], late: bool) -> str:
        """Why a group is not played again; empty where it is."""
        if late:
            return LATE
        if int(group[0].split("/")[1]) not in alike:
            return OTHER_TASK
        return "" if all(rollout in self._tapes for rollout in group) else OTHERS

    def _hide(self, rollout: str) -> dict[str, Any]:
        word = secrets.token_hex(8)
        record = Record(rollout, POLICY, Recorder(0), tape=self._tapes.pop(rollout))
        self._again[word] = (rollout, record)
        return {"rollout": word, "task": int(rollout.split("/")[1])}


def _unrepeatable(record: Record) -> str:
    """Why its record is not enough to play a rollout again; empty where it is."""
    told = record.recorder.transcript
    if told.truncated:
        return "its record is shortened"
    if any(call.reply < 0 or call.error or not call.finish_reason for call in told.calls):
        return "a call of it got no whole reply"
    return "" if record.exact else "a reply held more than is recorded"


def _replayed(name: str, replay: Replay) -> Replayed:
    policy, task, attempt = name.split("/")
    return Replayed(policy, int(task), int(attempt), replay)
