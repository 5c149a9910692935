"""What the conversations of a run show beside their rewards: answers that are given away, games
that go on, lists that omit entries, and results that contradict answers."""

from __future__ import annotations

from dataclasses import replace

from envyard.contract.findings import Finding
from envyard.contract.probes import ORACLE, SNOOP
from envyard_runner.conversation_checks.answer_differences import AnswerDifferences
from envyard_runner.conversation_checks.computed_fields import ComputedFields
from envyard_runner.conversation_checks.contrary_results import ToolResults
from envyard_runner.conversation_checks.early_answers import EarlyAnswer
from envyard_runner.conversation_checks.extreme_rows import ExtremeRows
from envyard_runner.conversation_checks.late_ends import repeated_reply
from envyard_runner.conversation_checks.left_out_ends import LeftOutEnds
from envyard_runner.conversation_checks.listed_pages import ListedPages
from envyard_runner.conversation_checks.named_causes import NamedCauses
from envyard_runner.conversation_checks.needless_work import FileAnswers
from envyard_runner.conversation_checks.revealed_tries import RevealedTries
from envyard_runner.conversation_checks.shown_answers import JunkResults, ShownAnswers, last_answer
from envyard_runner.conversation_checks.telling_fields import TellingFields
from envyard_runner.conversation_checks.write_guards import WriteGuards
from envyard_runner.execution.contrary_results import (
    contrary_findings,
    guard_findings,
    left_out_findings,
)
from envyard_runner.execution.late_ends import late_end_findings
from envyard_runner.execution.shown_answers import (
    cause_findings,
    computed_findings,
    conspicuous_findings,
    difference_findings,
    early_findings,
    entry_findings,
    extreme_findings,
    field_findings,
    leak_findings,
    needless_findings,
    omission_findings,
    tool_leak_findings,
    tries_findings,
)
from envyard_runner.gateway.rollout_records import Record


class Conversations:
    """The scored rollouts of a run, each read once as it ends."""

    def __init__(self) -> None:
        self._shown, self._junk = ShownAnswers(), dict[str, JunkResults]()
        self._answers = dict[str, str]()  # of the references that call tools, by task
        self._differences, self._files = AnswerDifferences(), FileAnswers()
        self._early = dict[str, EarlyAnswer]()
        self._pages, self._repeated = ListedPages(), dict[str, str]()
        self._guards, self._fields = WriteGuards(), TellingFields()
        self._results, self._tries = ToolResults(), RevealedTries()
        self._extremes, self._computed = ExtremeRows(), ComputedFields()
        self._causes, self._ends = NamedCauses(), LeftOutEnds()

    def add(self, record: Record, answer: str, field: str) -> None:
        """Read a rollout; `answer` is what its reference replies with if that is a field, `field`
        the field even where an oracle() replies, both empty where there is none."""
        self._shown.add(record, answer, field)
        self._differences.add(record, field)
        self._files.add(record, field)
        self._pages.add(record)
        self._guards.add(record)
        self._results.add(record, field)
        self._tries.add(record)
        self._ends.add(record)
        self._fields.add(record, field)
        self._extremes.add(record, field)
        self._computed.add(record, answer or field)
        self._causes.add(record, answer, field)
        if reply := repeated_reply(record):
            self._repeated[record.rollout] = reply
        if early := EarlyAnswer.of(record, field):
            self._early[record.rollout] = early
        if record.policy == SNOOP:
            self._junk[record.rollout] = JunkResults.of(record, answer, field)
        if record.policy == ORACLE and (last := last_answer(record)):
            self._answers.setdefault(task_of(record.rollout), last)

    def findings(self, *, answers_known: bool) -> list[Finding]:
        """All findings; those about answers only where these are no unpaid guesses."""
        return [
            *(self._leaks() if answers_known else []),
            *late_end_findings(self._repeated),
            *contrary_findings(self._results.contrary),
            *left_out_findings(self._ends.left_out),
            *omission_findings(self._pages.omitting),
            *guard_findings(self._guards.evaded),
        ]

    def _leaks(self) -> list[Finding]:
        junk = self._junk_with_answers()
        return [
            *leak_findings(self._shown.excerpts),
            *tool_leak_findings(junk),
            *entry_findings(junk),
            *conspicuous_findings(self._junk),
            *difference_findings(self._differences.revealed),
            *tries_findings(self._tries.revealed),
            *field_findings(self._fields),
            *extreme_findings(self._extremes),
            *computed_findings(self._computed),
            *early_findings(self._early),
            *cause_findings(self._causes),
            *needless_findings(self._files.needless),
        ]

    def _junk_with_answers(self) -> dict[str, JunkResults]:
        """What tools returned, with the last reply of the reference where no answer is known."""
        return {
            rollout: replace(each, answer=each.answer or self._answers.get(task_of(rollout), ""))
            for rollout, each in self._junk.items()
        }


def task_of(rollout: str) -> str:
    """The task of a rollout that is named by `policy/task/attempt`."""
    return rollout.split("/")[1]
