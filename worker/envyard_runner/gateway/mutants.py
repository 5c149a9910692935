"""Paid replies with one change: chosen from a run's rollouts, and played beside its replays.

In the sandbox a mutant is a rollout like any other. The gateway answers it from the record of the
paid rollout, up to the last reply, which is the changed one. docs/decisions/0065 gives the reasons.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection
from itertools import islice
from typing import Any

from envyard.contract.code_checks.scoring_constants import NO_CONSTANTS, ScoringConstants
from envyard.contract.mutants import (
    BLANK,
    CONTROL,
    CORRECTED,
    FURTHER_CALLS,
    MAX_MUTANTS,
    OPERATORS,
    PLAIN,
    MutantResult,
)
from envyard.contract.probes import ORACLE, PROBES
from envyard.contract.replay import Replay
from envyard_runner.gateway.courses.corrected_calls import judged_arguments
from envyard_runner.gateway.courses.last_turn import QUIET, QuietTurns
from envyard_runner.gateway.courses.registry import COURSES
from envyard_runner.gateway.courses.replies_in_turn import Course, OtherCourse
from envyard_runner.gateway.planned_mutants import Base, MutatedReplies, Planned, performed
from envyard_runner.gateway.recorded_replies import RecordedReplies, RepeatedReplies
from envyard_runner.gateway.recorder import Recorder
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.alphabets import ANY, Alphabet
from envyard_runner.mutation.kinds import of_each_kind
from envyard_runner.mutation.operators import mutate

MAX_BASES = 5  # paid rollouts
PLAIN_CHANGES = 2  # of each task, where all are compared
PAIR = 2  # of them, that show whether an operator is overlooked
ENOUGH = 3  # mutants of an operator, from which on it is tried on no other rollouts than the first
EVERYWHERE = (CONTROL, BLANK)  # of each base
SECONDS = 10.0  # that all mutants may take together, by the time that their rollouts took
POLICY = "mutant"  # of a mutant's own record: no probe, and no model
LONGEST = 20_000  # characters of a reply that is changed


class Mutants:
    """The mutants of one run: bases are kept as rollouts end, then mutants of them are planned.
    Some have what the `constants` of the scoring code name."""

    def __init__(self, constants: ScoringConstants = NO_CONSTANTS) -> None:
        self._constants = constants
        self._bases: list[Base] = []
        self._floors: dict[int, float] = {}
        self._planned: dict[str, Planned] = {}
        self._alphabet = ANY
        self._answers: list[tuple[int, str]] = []  # of the bases, by task
        self._quiet = QuietTurns()

    def keep(self, record: Record, *, reward: float, seconds: float, repeatable: bool) -> None:
        """Keep a rollout with its reward: as a base, or as what its task pays for no work.

        One that called a judge has no verdict for other replies, so it is no base.
        """
        policy, task, _ = record.rollout.split("/")
        self._quiet.add(record)
        if policy in PROBES and PROBES[policy].floor and not record.gave_right_reply:
            self._floors[int(task)] = max(self._floors.get(int(task), reward), reward)
        if (
            policy == ORACLE
            and repeatable
            and not record.judge
            and record.recorder.transcript.calls
        ):
            base = Base(record.rollout, reward, seconds, record.recorder.transcript)
            if len(base.last_reply) <= LONGEST and (base.last_reply or base.turns > 1):
                self._bases.append(base)

    def plan(
        self,
        *,
        alike: Collection[int],
        concurrency: int,
        seconds: float = SECONDS,
        most: int = MAX_MUTANTS,
        every_task: bool = False,
    ) -> list[list[dict[str, Any]]]:
        """The groups that the guest plays: mutants of paid rollouts of `alike` tasks, operator by
        operator, as many as fit in the `seconds`, at most `most`; before these a few plain ones of
        `every_task`."""
        bases = [base for base in sorted(self._bases, key=lambda b: b.task) if self._is_paid(base)]
        bases = [base for base in bases if base.task in alike]
        chosen = of_each_kind([(base.prompt, base.answer) for base in bases], MAX_BASES)
        first = [bases[place] for place in chosen]
        others = [base for place, base in enumerate(bases) if place not in chosen]
        self._answers = [(base.task, base.answer) for base in self._bases]
        self._alphabet = Alphabet.of(answer for _, answer in self._answers)
        mean = sum(base.seconds for base in first) / max(1, len(first))
        room = min(most, int(seconds * concurrency / max(mean, 1e-3)))
        seen: set[tuple[str, str]] = set()
        made: Counter[str] = Counter()
        for base in bases if every_task else ():
            made.update(self._plain_changes(base, seen, room))
        # Where there is room for few, each operator is tried on two rollouts before any on more.
        for part in (first[:PAIR], first[PAIR:]):
            for operator in OPERATORS:
                made[operator] += sum(self._change(base, operator, seen, room) for base in part)
        for operator in OPERATORS:
            for base in others if operator not in EVERYWHERE else ():
                if made[operator] < ENOUGH:
                    made[operator] += self._change(base, operator, seen, room)
        return [
            [{"rollout": alias, "task": planned.base.task}]
            for alias, planned in self._planned.items()
        ]

    def record(self, alias: str) -> Record | None:
        """The record that answers the calls of a mutant; None where the alias names none."""
        planned = self._planned.get(alias)
        return planned.record if planned else None

    def ended(self, alias: str, replay: Replay) -> bool:
        """Store what a mutant got; False where the alias names none or it ended before."""
        planned = self._planned.get(alias)
        if planned is None or planned.result is not None:
            return False
        if planned.operator == CONTROL and planned.record.replies_to_repeat:
            planned.record.replies_to_repeat.end()
        if not replay.left_out:
            base, after = planned.base, performed(planned)
            if after is None:
                return True
            planned.result = MutantResult(
                rollout=base.rollout,
                operator=planned.operator,
                before=planned.before,
                after=after,
                reward=replay.reward,
                recorded=base.reward,
                error=replay.error,
                turns=base.turns,
            )
        return True

    @property
    def results(self) -> list[MutantResult]:
        """What each mutant got that was played, by operator and task."""
        return [planned.result for planned in self._planned.values() if planned.result]

    @property
    def unchanged(self) -> dict[str, RepeatedReplies]:
        """The replies of each rollout that was played without a change, by its name."""
        return {
            planned.base.rollout: planned.record.replies_to_repeat
            for planned in self._planned.values()
            if planned.operator == CONTROL and planned.result and planned.record.replies_to_repeat
        }

    def _is_paid(self, base: Base) -> bool:
        """Whether it earned more than the probes that do no work, of which one must have played."""
        floors = self._floors
        if not floors:
            return base.reward > 0
        return base.reward > floors.get(base.task, max(floors.values())) + 1e-6

    def _change(self, base: Base, operator: str, seen: set[tuple[str, str]], room: int) -> bool:
        """Plan one mutant of the base; False where there is no room for it, the operator changes
        nothing, or it gives what is `seen`."""
        if len(self._planned) >= room:
            return False
        if operator == CONTROL:
            replies = RecordedReplies(base.transcript)
            self._add(base, operator, replies, base.answer, base.answer)
            return True
        if operator in COURSES or operator in QUIET:
            course = self._course(base, operator)
            if course is None:
                return False
            self._control(base, seen, room)
            self._add(base, operator, OtherCourse(course.replies), course.before, course.after)
            return True
        if not base.last_reply:
            return False
        text = mutate(
            base.last_reply,
            operator,
            self._alphabet,
            base.prompt,
            self._constants,
            self._other_answers(base),
        )
        is_control = OPERATORS[operator].kind == "control"
        if text is None or ((base.rollout, text[0]) in seen and not is_control):
            return False
        seen.add((base.rollout, text[0]))
        if operator not in EVERYWHERE:
            self._control(base, seen, room)
        self._add(base, operator, MutatedReplies(base.transcript, text[0]), *text[1:])
        return True

    def _plain_changes(self, base: Base, seen: set[tuple[str, str]], room: int) -> list[str]:
        """Plan the first two plain mutants of the base; their operators."""
        planned = (operator for operator in PLAIN if self._change(base, operator, seen, room))
        return [*islice(planned, PLAIN_CHANGES)]

    def _course(self, base: Base, operator: str) -> Course | None:
        if operator in QUIET:
            return self._quiet.course(operator, base.task, base.transcript)
        others = self._other_answers(base)
        if operator == FURTHER_CALLS:
            others = [each.changing_value for each in self._bases if each.task != base.task]
        if operator == CORRECTED:
            apart = (each.transcript for each in self._bases if each.task != base.task)
            others = [judged_arguments(transcript) for transcript in apart]
        return COURSES[operator](base.transcript, others)

    def _other_answers(self, base: Base) -> list[str]:
        return [answer for task, answer in self._answers if task != base.task]

    def _control(self, base: Base, seen: set[tuple[str, str]], room: int) -> None:
        """Plan what shows whether the changes of this base count, unless it is planned."""
        if not any(each.base is base for each in self._planned.values()):
            for operator in EVERYWHERE:
                self._change(base, operator, seen, room)

    def _add(
        self, base: Base, operator: str, replies: RepeatedReplies, before: str, after: str
    ) -> None:
        alias = secrets.token_hex(8)
        record = Record(alias, POLICY, Recorder(0), replies_to_repeat=replies)
        self._planned[alias] = Planned(base, operator, record, before, after)
