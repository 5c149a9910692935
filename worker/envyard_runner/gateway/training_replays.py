"""Recorded rollouts that are played once more by a trainer's host, and the rewards that it reports.

They are chosen from those that the ordinary replays repeated exactly. Each is played twice: a
reward that differs both times, and alike, is no chance. Where a few replays were not exact, each is
played four times, and two must differ.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.replay import Replayed, agree
from envyard.contract.transcript import Transcript
from envyard_runner.gateway.judge.recorded import RecordedVerdicts
from envyard_runner.gateway.recorded_replies import RecordedReplies
from envyard_runner.gateway.recorder import Recorder
from envyard_runner.gateway.replays import Kept, Replays
from envyard_runner.gateway.rollout_records import Record

MAX_ROLLOUTS = 8
TIMES, MANY_TIMES = 2, 4
MAX_INEXACT = 0.25  # of the replays, beyond which a reward is too much a matter of chance
POLICY = "replay"
NONE_COMPARABLE = "no replayed rollout without a judge has a whole reply to each of its calls"


@dataclass(slots=True)
class TrainingRollout:
    """One rollout of the sample: its first reward, and one record and one reward for each time.

    `error` is why a time gave no reward.
    """

    name: str
    reward: float
    records: list[Record] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    error: str = ""

    @property
    def compared(self) -> bool:
        """Whether each time ended with a reward and made the recorded calls."""
        same = all(r.replies_to_repeat and not r.replies_to_repeat.diverged for r in self.records)
        return same and len(self.rewards) == len(self.records)

    @property
    def why_not_compared(self) -> str:
        """Its error, its first call that differs, or that it did not end."""
        replies = [record.replies_to_repeat for record in self.records]
        differences = [each.difference for each in replies if each and each.diverged]
        asked = f"another call, {differences[0]!r}" if differences else "it did not end in time"
        return self.error or asked

    @property
    def differs(self) -> bool:
        """Whether each time gave the same reward, and not the run's."""
        first, *others = self.rewards or [self.reward]
        alike = all(agree(first, other) for other in others)
        return self.compared and alike and not agree(first, self.reward)


class TrainingReplays:
    """The sample of one run, and what its gateway answers; `judge` has no verdict for any call."""

    def __init__(self, replays: Replays) -> None:
        self.judge: RecordedVerdicts = replays.judge
        exact, played = _exact(replays)
        self.why_none = _why_none(replays, exact, played)
        sample = [] if self.why_none else _sample(replays.results, replays.kept, exact)
        self._times, self._minimum = (TIMES, 1) if len(exact) == played else (MANY_TIMES, 2)
        self.rollouts = [TrainingRollout(name, kept.reward) for name, kept in sample]
        if not self.rollouts:
            self.why_none = self.why_none or NONE_COMPARABLE
        self._aliases: dict[str, tuple[TrainingRollout, Record]] = {}
        for rollout in self.rollouts:
            for _ in range(self._times):
                replies = RecordedReplies(replays.kept[rollout.name].transcript)
                record = Record(rollout.name, POLICY, Recorder(0), replies_to_repeat=replies)
                rollout.records.append(record)
                self._aliases[secrets.token_hex(8)] = rollout, record
        self._ended: set[str] = set()

    def planned(self) -> list[tuple[str, int]]:
        """The aliases, each with the index of its task."""
        return [(alias, _task(r.name)) for alias, (r, _) in sorted(self._aliases.items())]

    async def groups(self) -> list[list[dict[str, Any]]]:
        """None: the host's configuration has the plan."""
        return []

    def record(self, alias: str) -> Record | None:
        """The record that answers the calls of an alias; None where it names none."""
        return self._aliases[alias][1] if alias in self._aliases else None

    def name(self, alias: str) -> str | None:
        """The rollout behind an alias; None where there is none."""
        return self._aliases[alias][0].name if alias in self._aliases else None

    def ended(self, alias: str, *, reward: float | None, error: str) -> None:
        """Store the result of an alias; an unknown one, or one that ended before, is ignored."""
        if alias in self._ended or alias not in self._aliases:
            return
        self._ended.add(alias)
        rollout, record = self._aliases[alias]
        if record.replies_to_repeat is not None:
            record.replies_to_repeat.end()
        if reward is None:
            rollout.error = rollout.error or error
        else:
            rollout.rewards.append(reward)

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


def _why_none(replays: Replays, exact: Collection[str], played: int) -> str:
    """Why no rollout can be compared; empty where some may be."""
    if replays.compared:
        return "its rewards compare attempts"
    if played - len(exact) > MAX_INEXACT * played:
        return f"only {len(exact)} of {played} replays were exact"
    return ""


def _exact(replays: Replays) -> tuple[set[str], int]:
    """The rollouts without a judge whose replays made the same calls and got the same reward, and
    how many such replays there were."""
    exact, played = set(), 0
    for result in replays.results:
        kept = replays.kept.get(_name(result))
        if kept and not result.replay.left_out:
            played += 1
            if not result.replay.diverged and agree(kept.reward, result.replay.reward):
                exact.add(_name(result))
    return exact, played


def _sample(
    results: Sequence[Replayed], kept: dict[str, Kept], exact: Collection[str]
) -> list[tuple[str, Kept]]:
    """At most MAX_ROLLOUTS with an exact replay, in turns over the policies."""
    lines: defaultdict[str, list[tuple[str, Kept]]] = defaultdict(list)
    for result in results:
        own = kept.get(_name(result))
        if own is not None and _name(result) in exact and _has_whole_replies(own.transcript):
            lines[result.policy].append((_name(result), own))
    turns = zip(*(_padded(line) for line in lines.values()), strict=False)
    return [row for turn in turns for row in turn if row is not None][:MAX_ROLLOUTS]


def _name(result: Replayed) -> str:
    return f"{result.policy}/{result.task}/{result.attempt}"


def _padded(line: list[tuple[str, Kept]]) -> Iterable[tuple[str, Kept] | None]:
    return [*line, *[None] * (MAX_ROLLOUTS - len(line))]


def _has_whole_replies(transcript: Transcript) -> bool:
    """Whether it made a call and no reply is empty: some releases of the framework refuse empty
    ones."""
    replies = [transcript.nodes[call.reply].message for call in transcript.calls]
    return bool(replies) and all(r.get("content") or r.get("tool_calls") for r in replies)


def _task(name: str) -> int:
    return int(name.split("/")[1])
