"""Recorded rollouts that are played once more by a trainer's host, and the rewards that it reports.

They are chosen from those that the ordinary replays repeated exactly; rewards that compare attempts
are computed for whole groups. Each is played twice: a reward that differs both times, and alike, is
no chance. Where a few replays were not exact, each is played four times, and two must differ.
"""

from __future__ import annotations

import random
import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.replay import Replay, agree
from envyard.contract.transcript import Transcript
from envyard_runner.gateway.judge.live import Verdicts
from envyard_runner.gateway.judge.recorded import RUN
from envyard_runner.gateway.judge.training import TrainingVerdicts
from envyard_runner.gateway.recorded_replies import RecordedReplies
from envyard_runner.gateway.recorder import Recorder
from envyard_runner.gateway.replays import Kept, Replays
from envyard_runner.gateway.rollout_records import Record

Group = dict[str, Kept]  # rollouts that are scored together, by name

MAX_ROLLOUTS = 8
MAX_GROUPS = 4  # of several rollouts, whose rewards compare them
TIMES, MANY_TIMES = 2, 4
MAX_INEXACT = 0.25  # of the replays, beyond which a reward is too much a matter of chance
POLICY = "replay"
NONE_COMPARABLE = "no replayed rollout has a whole reply to each of its calls"
UNNAMED = "questions to the judge that name no rollout were not the recorded ones in the replays"

_shuffle = random.SystemRandom().shuffle


@dataclass(slots=True)
class TrainingRollout:
    """One rollout of the sample: its first reward, and one record and one reward for each time.

    `group` are the rollouts that are scored together with it, itself included; `error` is why a
    time gave no reward, and `judge_hosts` are how it called a judge in the run.
    """

    name: str
    reward: float
    judge_hosts: frozenset[str] = frozenset()
    records: list[Record] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    error: str = ""
    group: list[TrainingRollout] = field(default_factory=list, repr=False)

    @property
    def compared(self) -> bool:
        """Whether its group is repeated: others' calls may decide its reward too."""
        return all(member.is_repeated for member in self.group)

    @property
    def is_repeated(self) -> bool:
        """Whether each time it ended with a reward and made the recorded calls itself."""
        same = all(r.replies_to_repeat and not r.replies_to_repeat.diverged for r in self.records)
        return same and not self.error and len(self.rewards) == len(self.records)

    @property
    def why_not_compared(self) -> str:
        """The error, the first call that differs, or that it did not end, of itself or of another
        one of its group."""
        first = next((each for each in (self, *self.group) if not each.is_repeated), self)
        replies = [record.replies_to_repeat for record in first.records]
        differences = [each.difference for each in replies if each and each.diverged]
        asked = f"another call, {differences[0]!r}" if differences else "it did not end in time"
        return first.error or asked

    @property
    def differs(self) -> bool:
        """Whether each time gave the same reward, and not the run's."""
        first, *others = self.rewards or [self.reward]
        alike = all(agree(first, other) for other in others)
        return self.compared and alike and not agree(first, self.reward)


@dataclass(frozen=True, slots=True)
class Play:
    """One time that a group is played: each rollout by its alias, with the record that answers."""

    members: dict[str, tuple[TrainingRollout, Record]]


class TrainingReplays:
    """The sample of one run, and what its gateway answers.

    `judged`: the run called a judge, so that groups are to be played one after the other. `judge`
    answers its calls, which name no rollout.
    """

    def __init__(self, replays: Replays, *, judged: bool = False) -> None:
        exact, played = _exact(replays)
        self.judged, self.why_none = judged, _why_none(replays, exact, played)
        sample = [] if self.why_none else _sample(exact, compared=replays.compared)
        self._times, self._minimum = (TIMES, 1) if len(exact) == played else (MANY_TIMES, 2)
        if not sample:
            self.why_none = self.why_none or NONE_COMPARABLE
        groups = [_rollouts(group) for group in sample]
        expected = {*replays.expected}  # a probe's group has attempts that the hub does not know
        self.rollouts = [each for group in groups for each in group if each.name in expected]
        plays = [_play(group, replays.kept) for group in groups for _ in range(self._times)]
        _shuffle(plays)
        self._plays = plays
        self._by_alias = {alias: at for at, play in enumerate(plays) for alias in play.members}
        self._verdicts = TrainingVerdicts(
            replays.judged,
            [[rollout.name for rollout, _ in play.members.values()] for play in plays],
        )
        self.judge: Verdicts = self._verdicts if judged else replays.judge
        self._run_hosts = {exchange.host for exchange in replays.judged.exchanges(RUN)}
        self._ended: set[str] = set()

    def planned(self) -> list[list[tuple[str, int]]]:
        """The groups in the order in which they are to begin: aliases, each with the index of its
        task."""
        return [
            [(alias, _task(rollout.name)) for alias, (rollout, _) in play.members.items()]
            for play in self._plays
        ]

    async def groups(self) -> list[list[dict[str, Any]]]:
        """None: the host's configuration has the plan."""
        return []

    def record(self, alias: str) -> Record | None:
        """The record that answers the calls of an alias; None where it names none."""
        if alias not in self._by_alias:
            return None
        at = self._by_alias[alias]
        self._verdicts.enter(at)
        return self._plays[at].members[alias][1]

    def name(self, alias: str) -> str | None:
        """The rollout behind an alias; None where there is none."""
        rollout = self._rollout(alias)
        return rollout.name if rollout else None

    def ended(self, alias: str, *, reward: float | None, error: str) -> None:
        """Store the result of an alias; an unknown one, or one that ended before, is ignored."""
        rollout = self._rollout(alias)
        if rollout is None or alias in self._ended:
            return
        self._ended.add(alias)
        self._verdicts.leave(self._by_alias[alias])
        _, record = self._plays[self._by_alias[alias]].members[alias]
        if record.replies_to_repeat is not None:
            record.replies_to_repeat.end()
        if reward is None:
            rollout.error = rollout.error or error
        else:
            rollout.rewards.append(reward)

    def finish(self, hosts: Collection[str]) -> None:
        """Leave out the rollouts that asked a judge something else, or called it by a host that is
        not among `hosts`, those that the judge was called by: some clients reach no proxy."""
        for at, asked in self._verdicts.differences.items() if self.judged else ():
            for rollout, _ in self._plays[at].members.values():
                rollout.error = rollout.error or f"another question to the judge, {asked!r}"
        for rollout in self.rollouts:
            unused = (rollout.judge_hosts | self._run_hosts) - {"", *hosts}
            if unused:
                rollout.error = rollout.error or f"its judge at {min(unused)} was not called"

    def _rollout(self, alias: str) -> TrainingRollout | None:
        if alias not in self._by_alias:
            return None
        return self._plays[self._by_alias[alias]].members[alias][0]

    @property
    def compared(self) -> list[TrainingRollout]:
        """The rollouts whose rewards can be compared."""
        return [rollout for rollout in self.rollouts if rollout.compared]

    @property
    def differing(self) -> list[TrainingRollout]:
        """The rollouts that a trainer's host pays otherwise; none where those are too few to tell
        from chance."""
        differing = [rollout for rollout in self.rollouts if rollout.differs]
        enough = len(differing) >= self._minimum
        return sorted(differing, key=lambda rollout: rollout.name) if enough else []


def _why_none(replays: Replays, exact: Collection[object], played: int) -> str:
    """Why no rollout can be compared; empty where some may be."""
    if replays.judge.diverged[RUN]:
        return UNNAMED
    if played - len(exact) > MAX_INEXACT * played:
        return f"only {len(exact)} of {played} replays were exact"
    return ""


def _exact(replays: Replays) -> tuple[list[Group], int]:
    """The groups whose replays made the same calls, to the judge too, and got the same rewards, and
    how many groups there were."""
    exact, played = [], 0
    for results in replays.groups_played:
        kept = {name: replays.kept[name] for name in results if name in replays.kept}
        if len(kept) == len(results) and not any(r.left_out for r in results.values()):
            played += 1
            if all(_repeats(kept[name], result) for name, result in results.items()):
                exact.append(kept)
    return exact, played


def _repeats(kept: Kept, replay: Replay) -> bool:
    same = not replay.diverged and not replay.judge_diverged
    return same and agree(kept.reward, replay.reward)


def _sample(exact: Sequence[Group], *, compared: bool) -> list[Group]:
    """Some groups with exact replays, in turns over the policies."""
    lines: defaultdict[str, list[Group]] = defaultdict(list)
    for group in exact:
        if all(_has_whole_replies(kept.transcript) for kept in group.values()):
            lines[next(iter(group)).partition("/")[0]].append(group)
    turns = zip(*(_padded(line) for line in lines.values()), strict=False)
    chosen = [group for turn in turns for group in turn if group is not None]
    return chosen[: MAX_GROUPS if compared else MAX_ROLLOUTS]


def _rollouts(group: Group) -> list[TrainingRollout]:
    """The rollouts of one group, each of which knows the others."""
    rollouts = [
        TrainingRollout(name, kept.reward, kept.judge_hosts) for name, kept in group.items()
    ]
    for rollout in rollouts:
        rollout.group = rollouts
    return rollouts


def _play(group: Sequence[TrainingRollout], kept: Group) -> Play:
    """One more time for a group, with aliases and replies of its own."""
    members = {}
    for rollout in group:
        replies = RecordedReplies(kept[rollout.name].transcript)
        record = Record(rollout.name, POLICY, Recorder(0), replies_to_repeat=replies)
        rollout.records.append(record)
        members[secrets.token_hex(8)] = rollout, record
    return Play(members)


def _padded(line: list[Group]) -> Iterable[Group | None]:
    return [*line, *[None] * (MAX_ROLLOUTS - len(line))]


def _has_whole_replies(transcript: Transcript) -> bool:
    """Whether it made a call and no reply is empty: some releases of the framework refuse empty
    ones."""
    replies = [transcript.nodes[call.reply].message for call in transcript.calls]
    return bool(replies) and all(r.get("content") or r.get("tool_calls") for r in replies)


def _task(name: str) -> int:
    return int(name.split("/")[1])
