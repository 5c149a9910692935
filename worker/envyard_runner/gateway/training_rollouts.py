"""One recorded rollout that a trainer's host plays, each time with replies of its own."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from envyard.contract.replay import agree
from envyard.contract.transcript import Transcript
from envyard_runner.gateway.recorded_replies import RecordedReplies
from envyard_runner.gateway.recorder import Recorder
from envyard_runner.gateway.replays import Group
from envyard_runner.gateway.rollout_records import Record

POLICY = "replay"


@dataclass(slots=True)
class TrainingRollout:
    """One rollout of the sample: its first reward, and one record and one reward for each time.

    `group` are the rollouts that are scored together with it, itself included; `error` is why a
    time gave no reward, and `judge_hosts` are how it called a judge in the run.
    """

    name: str
    reward: float
    transcript: Transcript
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
    def changed(self) -> set[bytes]:
        """Digests of the first calls that it made otherwise, one that is empty for a time without
        any."""
        return {r.replies_to_repeat.changed if r.replies_to_repeat else b"" for r in self.records}

    @property
    def why_not_compared(self) -> str:
        """The error, the first call that differs, or that it did not end, of itself or of another
        one of its group."""
        first = next((each for each in (self, *self.group) if not each.is_repeated), self)
        replies = [record.replies_to_repeat for record in first.records]
        differences = [each.difference for each in replies if each and each.diverged]
        reason = f"another call, {differences[0]!r}" if differences else "it did not end in time"
        return first.error or reason

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

    @property
    def names(self) -> list[str]:
        """Its rollouts."""
        return [rollout.name for rollout, _ in self.members.values()]


def rollouts_of(group: Group) -> list[TrainingRollout]:
    """The rollouts of one group, each of which knows the others."""
    rollouts = [
        TrainingRollout(name, kept.reward, kept.transcript, kept.judge_hosts)
        for name, kept in group.items()
    ]
    for rollout in rollouts:
        rollout.group = rollouts
    return rollouts


def play_of(group: Sequence[TrainingRollout]) -> Play:
    """One more time for a group, with aliases and replies of its own."""
    members = {}
    for rollout in group:
        replies = RecordedReplies(rollout.transcript)
        record = Record(rollout.name, POLICY, Recorder(0), replies_to_repeat=replies)
        rollout.records.append(record)
        members[secrets.token_hex(8)] = rollout, record
    return Play(members)
