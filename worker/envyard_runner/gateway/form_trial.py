"""Find the form in which an environment pays its answer fields, before the run's other rollouts.

An answer field holds a bare answer. On two tasks it is given in several forms, each in a rollout of
its own; whatever repeats an answer field later in the run uses the best-paid form. These rollouts
are the first of the plan and no results of the run. Other rollouts get their first reply when all
of them have ended, whichever policy answers. docs/decisions/0075 gives the reasons.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Sequence
from statistics import fmean
from typing import Any

from envyard.contract.answer_forms import AnswerForm
from envyard.contract.code_checks.scoring_constants import NO_CONSTANTS, ScoringConstants
from envyard.contract.job import JobSpec
from envyard.contract.probes import reference_of
from envyard.contract.values import count
from envyard_runner.mutation.form_candidates import BARE, MAX_FORMS, asked_beyond_doubt, candidates
from envyard_runner.mutation.forms import Form
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message

POLICY = "form"  # of the trial's rollouts: no probe, and no model
TRIED_TASKS = 2
LONGEST_WAIT = 15.0  # seconds that other rollouts wait for the trial


class FormTrial:
    """The trial of one run, and the form that it found in `chosen` (None while none is known).

    `answered` are the tasks whose reference is an answer field; `field` is the name
    of an inferred one.
    """

    def __init__(
        self,
        job: JobSpec,
        chosen: Form | None = None,
        constants: ScoringConstants = NO_CONSTANTS,
    ) -> None:
        self.chosen, self.field = chosen, ""
        self._constants = constants
        self._needed = chosen is None and any(map(reference_of, job.policies))
        self._answered: frozenset[int] = frozenset()
        self._left: set[str] = set()
        self._forms: dict[int, list[Form]] = {}
        self._asked: list[Form] = []
        self._rewards: defaultdict[Form, list[float | None]] = defaultdict(list)
        self._over = asyncio.Event()

    def plan(self, answered: Collection[int], *, tried: bool) -> list[str]:
        """The rollouts of the trial, as `form/task/number`; none where there is nothing to find."""
        self._answered = frozenset(answered)
        tasks = sorted(self._answered)[:TRIED_TASKS] if self._needed and tried else []
        names = [f"{POLICY}/{task}/{number}" for task in tasks for number in range(MAX_FORMS)]
        self._left = set(names)
        if not names:
            self._over.set()
        return names

    async def wait(self) -> None:
        """Wait for the end of the trial, LONGEST_WAIT at most; then nothing waits any more."""
        try:
            async with asyncio.timeout(LONGEST_WAIT):
                await self._over.wait()
        except TimeoutError:
            self._end()

    def in_form(self, reference: Message, rollout: str, messages: Sequence[Message]) -> Message:
        """A reference as a reply: an answer field in the form of this rollout, anything else as it
        is."""
        policy, task, number = rollout.split("/")
        if int(task) not in self._answered:
            return reference
        answer = plain_text(reference.get("content"))
        if policy == POLICY:
            if int(task) not in self._forms:
                self._forms[int(task)] = self._candidates(messages, answer)
                self._asked += asked_beyond_doubt(_prompts(messages), answer)
            known = self._forms[int(task)]
            form = known[int(number)] if int(number) < len(known) else BARE
        else:
            form = self.chosen or self._candidates(messages, answer)[0]
        turn = sum(message.get("role") == "assistant" for message in messages)
        return {**reference, "content": form.write(answer, turn=turn)}

    def _candidates(self, messages: Sequence[Message], answer: str) -> list[Form]:
        return candidates(_prompts(messages), answer, self._constants)

    def ended(self, rollout: str, reward: float | None) -> bool:
        """Store the reward of a rollout of the trial; False for any other rollout."""
        policy, task, number = rollout.split("/")
        if policy != POLICY:
            return False
        known = self._forms.get(int(task), [])
        if int(number) < len(known) and not self._over.is_set():
            self._rewards[known[int(number)]].append(reward)
        self._left.discard(rollout)
        if not self._left:
            self._end()
        return True

    @property
    def is_unconfirmed(self) -> bool:
        """Whether the answers are of an inferred field that no form of the trial earned with."""
        result = self.result
        return bool(self.field) and (result is None or result.is_refuted)

    @property
    def result(self) -> AnswerForm | None:
        """What the trial found; None before its end, and where no reply was tried."""
        if not self._over.is_set() or not self._rewards:
            return None
        means = {form: _mean(rewards) for form, rewards in self._rewards.items()}
        known = [mean for mean in means.values() if mean is not None]
        best = self.chosen or self._order[0]
        asked = self._refused(best, means)
        return AnswerForm(
            best.name,
            len(means),
            means.get(best),
            min(known, default=None),
            asked.name if asked else "",
            means.get(asked) if asked else None,
            self.field,
        )

    def _refused(self, best: Form, means: dict[Form, float | None]) -> Form | None:
        """The best-paid form around the answer that the prompts ask for, unless it is the best of
        all; else a format of the answer itself, which compares with the bare answer alone."""
        around = [form for form in self._asked if form in means and not form.layout]
        if around:
            return None if best in around else max(around, key=lambda form: means[form] or 0.0)
        formats = [form for form in self._asked if form in means]
        return next((form for form in formats if best == BARE), None)

    @property
    def _order(self) -> list[Form]:
        """The forms as the tasks' prompts rank them, those of the first task first."""
        return list(
            dict.fromkeys(form for _, forms in sorted(self._forms.items()) for form in forms)
        )

    def _end(self) -> None:
        """Choose the best-paid form, the first in the first task's order where several are."""
        if self._over.is_set():
            return
        self._over.set()
        rewarded = [form for form in self._order if form in self._rewards]
        means = {form: _mean(self._rewards[form]) for form in rewarded}
        known = {form: mean for form, mean in means.items() if mean is not None}
        if known and max(known.values()) > min(known.values()):
            self.chosen = max(known, key=lambda form: known[form])


def answered_tasks(rows: list[dict[str, Any]]) -> set[int]:
    """The tasks of a `loaded` event whose reference is an answer field, not an oracle()."""
    return {
        count(row.get("index"))
        for row in rows
        if isinstance(row.get("answer"), str) and row.get("hook") is not True
    }


def _prompts(messages: Sequence[Message]) -> list[str]:
    prompts = [m for m in messages if m.get("role") in ("system", "developer", "user")]
    return [plain_text(m.get("content")) for m in prompts]


def _mean(rewards: Sequence[float | None]) -> float | None:
    """The mean, in which a failed attempt counts nothing; None where all failed."""
    return (
        fmean(reward or 0.0 for reward in rewards) if any(r is not None for r in rewards) else None
    )
