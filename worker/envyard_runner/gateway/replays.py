"""Choose the finished rollouts that are replayed, and collect the results.

In the sandbox, a replay is a rollout like any other: a random alias, in mixed order, answered at
once. The gateway answers it from the record of the first, and it counts for nothing else: not for
the plan, the budgets or the progress of its run. docs/decisions/0025 gives the reasons.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from envyard.contract.code_checks.scoring_constants import NO_CONSTANTS, ScoringConstants
from envyard.contract.job import JobSpec
from envyard.contract.probes import PROBES
from envyard.contract.replay import Replay, Replayed
from envyard.contract.transcript import Transcript
from envyard_runner.gateway.judge.bases import Base, Bases
from envyard_runner.gateway.judge.live import Verdicts
from envyard_runner.gateway.judge.recorded import RecordedVerdicts
from envyard_runner.gateway.judge.records import JudgeRecords
from envyard_runner.gateway.mutants import Mutants
from envyard_runner.gateway.recorded_replies import RecordedReplies
from envyard_runner.gateway.recorder import Recorder
from envyard_runner.gateway.rollout_records import Record

MAX_ROLLOUTS = 32
POLICY = "replay"  # of a replay's own record: no probe, and no model
NO_REWARD = "it has no reward to compare"
USED_NETWORK = "hosts outside the sandbox were contacted while it ran"
LATE = "the run's time was nearly over"
OTHER_TASK = "its task was another one when loaded again"
GROUP_UNREPEATABLE = "another attempt of its group cannot be repeated"
NOT_ENDED = "its second playing did not end in the time there was"
NO_REPLY = "a call of it got no reply when played again"
TOO_LONG = "it took longer than a rollout may when played again"

_shuffle = random.SystemRandom().shuffle


class Repeated(Protocol):
    """What a gateway plans and answers instead of a job's rollouts."""

    @property
    def judge(self) -> Verdicts:
        """What answers the judge's calls."""
        ...

    async def groups(self) -> list[list[dict[str, Any]]]:
        """What the guest is to play: groups of rollout aliases and their tasks."""
        ...

    def record(self, alias: str) -> Record | None:
        """The record that answers a rollout's calls; None where the alias names none."""
        ...

    def name(self, alias: str) -> str | None:
        """The rollout that is played under an alias; None where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Kept:
    """The first reward of a rollout, its record, and the hosts by which it called a judge ("" for
    the gateway's own address)."""

    reward: float
    transcript: Transcript
    judge_hosts: frozenset[str] = frozenset()


Group = dict[str, Kept]  # rollouts that are scored together, by name


class Replays:
    """The sample of one run's rollouts that are to be replayed.

    First they are chosen, then the record of each is kept as it ends, then all that can be repeated
    are handed out. `judge` repeats the verdicts that they had; `bases` are those that called a
    judge and are played again in other ways, `mutants` those with a changed reply, which are played
    after the replays. `expected` are the chosen ones that the hub knows, `kept` those that can
    be repeated, `changed` digests of the first calls that replays made otherwise, `judged` the
    judge's exchanges; `compared`: whether rewards compare attempts.
    """

    def __init__(
        self, job: JobSpec, judge: JudgeRecords, constants: ScoringConstants = NO_CONSTANTS
    ) -> None:
        self.judge, self.judged = RecordedVerdicts(judge), judge
        self.bases = Bases()
        self.mutants = Mutants(constants)
        self.kept: dict[str, Kept] = {}
        self.changed: dict[str, bytes] = {}
        self.compared = False
        self._concurrency = job.concurrency
        self._seed = f"{job.seed}/{job.run}"
        self._groups: list[list[str]] = []
        self.expected: list[str] = []
        self._recorded: dict[str, RecordedReplies] = {}
        self._reasons: dict[str, str] = {}
        self._running: dict[str, tuple[str, Record]] = {}
        self._results: dict[str, Replay] = {}
        self._planned: list[list[dict[str, Any]]] = []
        self._ready = asyncio.Event()

    def choose(self, groups: Sequence[Sequence[str]], expected: Collection[str]) -> None:
        """Pick groups of at most MOST rollouts together, by the job's seed: every policy in turn,
        and of each one as many tasks as there are.

        A probe that plays last may change what rollouts share: played among others, it would change
        their rewards.
        """
        self.compared = any(len(group) > 1 for group in groups)
        dice = random.Random(self._seed)  # noqa: S311  (repeatable on purpose)
        lines: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
        for group in sorted(groups, key=lambda group: group[0]):
            policy = group[0].partition("/")[0]
            if policy not in PROBES or not PROBES[policy].plays_last:
                lines[policy].append(group)
        for line in lines.values():
            dice.shuffle(line)
            line.sort(key=lambda group: int(group[0].rpartition("/")[2]))
        turns = [
            group
            for turn in range(max(map(len, lines.values()), default=0))
            for _, line in sorted(lines.items())
            for group in line[turn : turn + 1]
        ]
        room = MAX_ROLLOUTS
        for group in turns:
            if len(group) <= room:
                self._groups.append(list(group))
                room -= len(group)
        chosen = (rollout for group in self._groups for rollout in group)
        self.expected = [rollout for rollout in chosen if rollout in expected]

    def keep(
        self,
        record: Record,
        *,
        reward: float | None,
        seconds: float = 0.0,
        used_network: bool = False,
    ) -> None:
        """Keep the record of a rollout that ended if it is to be replayed, or why it cannot be."""
        rewarded = reward is not None
        if reward is not None and record.judge and not (self.compared or used_network):
            self._keep_base(record, reward)
        if reward is not None and not self.compared:
            repeatable = not used_network and not why_unrepeatable(record)
            self.mutants.keep(record, reward=reward, seconds=seconds, repeatable=repeatable)
        if any(record.rollout in group for group in self._groups):
            why = why_unrepeatable(record) if rewarded else NO_REWARD
            if why := why or (USED_NETWORK if used_network else ""):
                self._reasons[record.rollout] = why
            else:
                transcript = record.recorder.transcript
                self._recorded[record.rollout] = RecordedReplies(transcript)
                if reward is not None:
                    hosts = frozenset(exchange.host for exchange in record.judge)
                    self.kept[record.rollout] = Kept(reward, transcript, hosts)

    def _keep_base(self, record: Record, reward: float) -> None:
        """Keep a rollout for the checks of its judge, if each of its calls has a verdict."""
        verdicts = self.judged.replies(record.rollout)
        judged = all(not exchange.error for exchange in record.judge)
        if verdicts and judged and not why_unrepeatable(record):
            self.bases.add(Base(record.rollout, reward, record.recorder.transcript, verdicts))

    def start(self, *, alike: Collection[int], late: bool) -> None:
        """Hand out the replays, none if it is too `late`; only of `alike` tasks, those that the
        second sandbox loaded as the first did."""
        for group in self._groups:
            if why := self._reason_skipped(group, alike, late):
                self._reasons |= {rollout: self._reasons.get(rollout, why) for rollout in group}
            else:
                self._planned.append([self._assign_alias(rollout) for rollout in group])
        _shuffle(self._planned)
        if not late:
            mutants = self.mutants.plan(alike=alike, concurrency=self._concurrency)
            _shuffle(mutants)
            self._planned += mutants
        self._ready.set()

    async def groups(self) -> list[list[dict[str, Any]]]:
        """What the guest is to replay, once that is known: groups of rollout aliases and their
        tasks."""
        await self._ready.wait()
        return self._planned

    def record(self, alias: str) -> Record | None:
        """The record that answers the calls of a replay; None where the alias names none."""
        return self._running[alias][1] if alias in self._running else self.mutants.record(alias)

    def name(self, alias: str) -> str | None:
        """The rollout that is replayed under an alias, None where there is none."""
        return self._running[alias][0] if alias in self._running else None

    def ended(self, alias: str, replay: Replay, *, excused: bool = False) -> bool:
        """Store the result of a replay; False where the alias names none or it ended before.

        `excused`: it failed at the model's side, where nothing but the gateway is. A machine under
        load refuses connections; only a replay that made another call is to blame for that.
        """
        rollout, record = self._running.get(alias, ("", None))
        if record is None:
            return self.mutants.ended(alias, Replay(left_out=NO_REPLY) if excused else replay)
        if record.replies_to_repeat is None or rollout in self._results:
            return False
        if excused and not (record.replies_to_repeat.diverged or self.judge.diverged[rollout]):
            self._results[rollout] = Replay(left_out=NO_REPLY)
            return True
        record.replies_to_repeat.end()
        self.changed[rollout] = record.replies_to_repeat.changed
        self._results[rollout] = replace(
            replay,
            diverged=record.replies_to_repeat.diverged,
            asked=record.replies_to_repeat.difference,
            judge_diverged=self.judge.diverged[rollout],
            judge_asked=self.judge.differences.get(rollout, ""),
        )
        return True

    @property
    def interference(self) -> dict[str, str]:
        """What the policy was shown when a rollout was played once more in the process of its
        replay, which had repeated it exactly: empty where it was the same."""
        exact = {name for name, replay in self._results.items() if is_exact(replay)}
        return {
            name: f"call {replies.diverged} was {replies.difference!r}" if replies.diverged else ""
            for name, replies in self.mutants.unchanged.items()
            if name in exact
        }

    @property
    def groups_kept(self) -> list[Group]:
        """The groups of which every rollout can be repeated, each in its order."""
        kept = self.kept
        return [{n: kept[n] for n in g} for g in self._groups if all(n in kept for n in g)]

    @property
    def groups_played(self) -> list[dict[str, Replay]]:
        """The results of each group of which every rollout was played, in its order."""
        played = self._results
        return [{n: played[n] for n in g} for g in self._groups if all(n in played for n in g)]

    @property
    def results(self) -> list[Replayed]:
        """The results of every rollout of the sample, once nothing more is played."""
        if not self._ready.is_set():
            return []
        return [_replayed(name, self._result(name)) for name in self.expected]

    def _result(self, rollout: str) -> Replay:
        if rollout in self._results:
            return self._results[rollout]
        return Replay(left_out=self._reasons.get(rollout, NOT_ENDED))

    def _reason_skipped(self, group: list[str], alike: Collection[int], late: bool) -> str:
        """Why a group is not played again; empty where it is."""
        if late:
            return LATE
        if int(group[0].split("/")[1]) not in alike:
            return OTHER_TASK
        return "" if all(rollout in self._recorded for rollout in group) else GROUP_UNREPEATABLE

    def _assign_alias(self, rollout: str) -> dict[str, Any]:
        alias = secrets.token_hex(8)
        record = Record(rollout, POLICY, Recorder(0), replies_to_repeat=self._recorded.pop(rollout))
        self._running[alias] = (rollout, record)
        return {"rollout": alias, "task": int(rollout.split("/")[1])}


def is_exact(replay: Replay) -> bool:
    """Whether a replay showed the policy and the judge what the rollout did."""
    return not (replay.left_out or replay.error or replay.diverged or replay.judge_diverged)


def why_unrepeatable(record: Record) -> str:
    """Why its record is not enough to play a rollout again; empty where it is."""
    transcript = record.recorder.transcript
    if transcript.truncated:
        return "its record is shortened"
    if any(call.reply < 0 or call.error or not call.finish_reason for call in transcript.calls):
        return "a call of it got no whole reply"
    return "" if record.exact else "a reply held more than is recorded"


def _replayed(name: str, replay: Replay) -> Replayed:
    policy, task, attempt = name.split("/")
    return Replayed(policy, int(task), int(attempt), replay)
