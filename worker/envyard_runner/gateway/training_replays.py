"""Recorded rollouts that are played once more by a trainer's host, and the rewards that it reports.

They are chosen from those that the ordinary replays repeated exactly; rewards that compare attempts
are computed for whole groups. Each is played once, and what differs once more, in another host: a
reward that differs both times, and alike, is no chance. Where a few replays were not exact, those
that differ are played three times more, and two must differ each time.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from envyard.contract.replay import Replay, agree
from envyard.contract.transcript import Transcript
from envyard_runner.gateway.judge.live import Verdicts
from envyard_runner.gateway.judge.recorded import RUN, RecordedVerdicts
from envyard_runner.gateway.judge.training import TrainingVerdicts
from envyard_runner.gateway.replays import Group, Kept, Replays
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.gateway.training_rollouts import Play, TrainingRollout, play_of, rollouts_of

MAX_ROLLOUTS = 10  # up to a quarter of which may be left out
MAX_GROUPS = 4  # of several rollouts, whose rewards compare them
AGAIN, AGAIN_BY_CHANCE = 1, 3  # how often what differs is played once more
MANY = 2  # that must differ where rewards are in part a matter of chance
BY_CHANCE = 0.25  # of the rollouts that show something else in some play: the run alone did
MAX_INEXACT = 0.25  # of the replays, beyond which a reward is too much a matter of chance
NONE_COMPARABLE = "no replayed rollout has a whole reply to each of its calls"
INEXACT = "its ordinary replay was not exact"
UNNAMED = "questions to the judge that name no rollout were not the recorded ones in the replays"

_shuffle = random.SystemRandom().shuffle


class TrainingReplays:
    """The sample of one run, and what its gateway answers.

    It is chosen before the ordinary replays end, so that both can be played at once; `settle` then
    leaves out the rollouts whose own replay was not exact. `judged`: the run called a judge, so
    that groups are to be played one after the other. `judge` answers its calls, which name no
    rollout.
    """

    def __init__(self, replays: Replays, *, judged: bool = False) -> None:
        self.judged, self._replays = judged, replays
        self._sample = [rollouts_of(group) for group in _sample(replays)]
        self.why_none = "" if self._sample else NONE_COMPARABLE
        expected = {*replays.expected}  # a probe's group has attempts that the hub does not know
        self.rollouts = [r for group in self._sample for r in group if r.name in expected]
        self._chosen = [*self.rollouts]
        self._plays: list[Play] = []
        self._by_alias: dict[str, int] = {}
        self._verdicts = TrainingVerdicts(replays.judged)
        recorded = RecordedVerdicts(replays.judged)  # no call is expected
        self.judge: Verdicts = self._verdicts if judged else recorded
        self._run_hosts = {exchange.host for exchange in replays.judged.exchanges(RUN)}
        self._ended: set[str] = set()
        self._hosts = {""}
        self._few = 1  # that must differ
        self._times = 1  # that the next plan plays each

    def plan(self) -> list[list[tuple[str, int]]]:
        """Plan to play what is left of the sample: the groups in the order in which they are to
        begin, aliases, each with the index of its task."""
        plays = [play_of(group) for group in self._sample for _ in range(self._times)]
        _shuffle(plays)
        for play in plays:
            self._by_alias |= dict.fromkeys(play.members, len(self._plays))
            self._plays.append(play)
            self._verdicts.plays.append(play.names)
        return [
            [(alias, _task(rollout.name)) for alias, (rollout, _) in play.members.items()]
            for play in plays
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
        if alias not in self._by_alias:
            return None
        return self._plays[self._by_alias[alias]].members[alias][0].name

    def ended(self, alias: str, *, reward: float | None, error: str) -> None:
        """Store the result of an alias; an unknown one, or one that ended before, is ignored."""
        if alias not in self._by_alias or alias in self._ended:
            return
        self._ended.add(alias)
        self._verdicts.leave(self._by_alias[alias])
        rollout, record = self._plays[self._by_alias[alias]].members[alias]
        if record.replies_to_repeat is not None:
            record.replies_to_repeat.end()
        if reward is None:
            rollout.error = rollout.error or error
        else:
            rollout.rewards.append(reward)

    def finish(self, hosts: Collection[str]) -> None:
        """Leave out the rollouts that asked a judge something else, or called it by a host that is
        not among `hosts`, those that the judge was called by: some clients reach no proxy."""
        self._hosts |= {*hosts}
        for at, asked in self._verdicts.differences.items() if self.judged else ():
            for rollout, _ in self._plays[at].members.values():
                rollout.error = rollout.error or f"another question to the judge, {asked!r}"
        for rollout in self.rollouts:
            unused = (rollout.judge_hosts | self._run_hosts) - self._hosts
            if unused:
                rollout.error = rollout.error or f"its judge at {min(unused)} was not called"

    def settle(self) -> bool:
        """Leave out what the ordinary replays, which have ended, did not repeat exactly, then all
        that did not differ; whether anything is left, which is to be played again."""
        exact, played = _exact(self._replays)
        if why := _why_none(self._replays, len(exact), played):
            self.why_none, self.rollouts = why, []
            return False
        for group in self._sample:
            if group[0].name not in exact:
                for rollout in group:
                    rollout.error = rollout.error or INEXACT
        by_chance = len(exact) < played
        self._few = MANY if by_chance else 1
        self._times = AGAIN_BY_CHANCE if by_chance else AGAIN
        left = {rollout.name for rollout in (*self.differing, *self.changed)}
        self._sample = [group for group in self._sample if any(r.name in left for r in group)]
        return bool(self._sample)

    @property
    def compared(self) -> list[TrainingRollout]:
        """The rollouts whose rewards can be compared."""
        return [rollout for rollout in self.rollouts if rollout.compared]

    def replay(self, name: str) -> Replay:
        """The ordinary replay of a rollout; an empty one where its group was not played."""
        played = self._replays.groups_played
        return next((results[name] for results in played if name in results), Replay())

    @property
    def changed(self) -> list[TrainingRollout]:
        """The rollouts that were shown something else in the run than in their replay and each time
        here, where it was the same each time."""
        replayed = self._replays.changed
        chosen = sorted(self._chosen, key=lambda rollout: rollout.name)
        return [r for r in chosen if replayed.get(r.name) and r.changed == {replayed[r.name]}]

    @property
    def unlike(self) -> list[TrainingRollout]:
        """The rollouts of which some play was shown something else than the run."""
        replayed = self._replays.changed
        chosen = sorted(self._chosen, key=lambda rollout: rollout.name)
        return [r for r in chosen if replayed.get(r.name) or any(r.changed)]

    @property
    def changed_by_chance(self) -> float:
        """The greatest probability that tools which draw at random change these or more rollouts.

        Where a call shows one of two values with probabilities p and q, a run and three plays that
        agree otherwise have pq(p² + q²), and three that are not all alike 3pq: at most a quarter of
        all that are not alike are `changed`. More values make that share smaller.
        """
        unlike, changed = len(self.unlike), len(self.changed)
        return sum(
            math.comb(unlike, k) * BY_CHANCE**k * (1 - BY_CHANCE) ** (unlike - k)
            for k in range(changed, unlike + 1)
        )

    @property
    def chosen(self) -> int:
        """How many rollouts were played, those included that cannot be compared."""
        return len(self._chosen)

    @property
    def differing(self) -> list[TrainingRollout]:
        """The rollouts that a trainer's host pays otherwise; none where those are too few to tell
        from chance."""
        differing = [rollout for rollout in self.rollouts if rollout.differs]
        enough = len(differing) >= self._few
        return sorted(differing, key=lambda rollout: rollout.name) if enough else []


def _why_none(replays: Replays, exact: int, played: int) -> str:
    """Why no rollout can be compared; empty where some may be."""
    if replays.judge.diverged[RUN]:
        return UNNAMED
    if not exact:
        return NONE_COMPARABLE
    if played - exact > MAX_INEXACT * played:
        return f"only {exact} of {played} replays were exact"
    return ""


def _exact(replays: Replays) -> tuple[set[str], int]:
    """The first rollouts of the groups whose replays made the same calls, to the judge too, and got
    the same rewards, and how many groups there were."""
    exact, played = set(), 0
    for results in replays.groups_played:
        kept = {name: replays.kept[name] for name in results if name in replays.kept}
        if len(kept) == len(results) and not any(r.left_out for r in results.values()):
            played += 1
            if all(_repeats(kept[name], result) for name, result in results.items()):
                exact.add(next(iter(kept)))
    return exact, played


def _repeats(kept: Kept, replay: Replay) -> bool:
    same = not replay.diverged and not replay.judge_diverged
    return same and agree(kept.reward, replay.reward)


def _sample(replays: Replays) -> list[Group]:
    """Some groups that can be repeated, in turns over the policies."""
    lines: defaultdict[str, list[Group]] = defaultdict(list)
    for group in replays.groups_kept:
        if all(_has_whole_replies(kept.transcript) for kept in group.values()):
            lines[next(iter(group)).partition("/")[0]].append(group)
    turns = zip(*(_padded(line) for line in lines.values()), strict=False)
    chosen = [group for turn in turns for group in turn if group is not None]
    return chosen[: MAX_GROUPS if replays.compared else MAX_ROLLOUTS]


def _padded(line: list[Group]) -> Iterable[Group | None]:
    return [*line, *[None] * (MAX_ROLLOUTS - len(line))]


def _has_whole_replies(transcript: Transcript) -> bool:
    """Whether it made a call and no reply is empty: some releases of the framework refuse empty
    ones."""
    replies = [transcript.nodes[call.reply].message for call in transcript.calls]
    return bool(replies) and all(r.get("content") or r.get("tool_calls") for r in replies)


def _task(name: str) -> int:
    return int(name.split("/")[1])
