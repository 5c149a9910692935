"""Load many more tasks than the run played, with the environment's own seeds, and play references
among them.

It takes a sandbox of its own, bounded in time; whatever happens in it changes nothing of the run.
docs/decisions/0073 and 0078 give the reasons.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from envyard.contract.code_checks.scoring_constants import NO_CONSTANTS, ScoringConstants
from envyard.contract.facts import TaskResult
from envyard.contract.findings import Finding
from envyard.contract.job import JobSpec
from envyard.contract.probes import ORACLE
from envyard.contract.survey import Survey
from envyard.contract.task_texts import MAX_INDICES, IncompletePrompts
from envyard.contract.values import record, records, text
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.event_lines import parse_event, read_tasks
from envyard_runner.execution.reference_run import ReferenceRun
from envyard_runner.execution.sandboxes import Endpoints, RunAccess, SandboxFactory, serving
from envyard_runner.execution.surveyed_references import SurveyedReferences, described
from envyard_runner.execution.surveyed_tasks import PLAYED, spread
from envyard_runner.gateway import Gateway
from envyard_runner.gateway.form_trial import answered_tasks
from envyard_runner.hub_api.event_outbox import EventOutbox
from envyard_runner.mutation.answers import find_answer
from envyard_runner.sandbox import SandboxError
from envyard_runner.survey.benchmarks import BenchmarkList, overlapping, read_lists
from envyard_runner.survey.decimals import short_decimals
from envyard_runner.survey.few_problems import few_problems
from envyard_runner.survey.incomplete import ABSENT, LONGEST_QUESTION, incomplete_prompts
from envyard_runner.survey.labels import label_rule
from envyard_runner.survey.listing import (
    EVAL,
    TRAIN,
    Listing,
    compare_tasks,
    with_contradictions,
)
from envyard_runner.survey.naming_numbers import without_numbers
from envyard_runner.survey.places import answer_place
from envyard_runner.survey.repeats import recounted
from envyard_runner.survey.same_questions import disagreeing
from envyard_runner.survey.shared_problems import with_shared_problems
from envyard_runner.survey.split_rules import split_difference

ROLLOUTS = 2 * PLAYED  # of which a survey holds the records
MAX_SECONDS = 120.0
NEEDED_SHARE = 0.3  # of the run's time that must be left for a survey to begin
OUT_OF_MEMORY = "MemoryError"


def surveys(job: JobSpec) -> bool:
    """Whether the job asks for a survey."""
    return job.survey_tasks > job.tasks


class SurveyRun:
    """The survey of one run, built from the event lines of its sandbox.

    `wanted`: the job asks for one, and the run loaded tasks. References are only played where the
    first sandbox called no judge: none would answer here.
    """

    def __init__(
        self,
        job: JobSpec,
        collector: EventCollector,
        *,
        judged: bool,
        constants: ScoringConstants = NO_CONSTANTS,
    ) -> None:
        self._job = replace(job, tasks=job.survey_tasks, policies=(ORACLE,), attempts=1)
        self._first, self._judged, self._seed = collector.tasks or [], judged, job.seed
        self.wanted = surveys(job) and bool(self._first)
        form = collector.plan.forms.chosen
        self.gateway = Gateway(self._job, None, form=form, constants=constants, rollouts=ROLLOUTS)
        self.survey: Survey | None = None
        self._guessed = collector.plan.forms.is_unconfirmed
        self.lists: list[BenchmarkList] | None = None
        self._listing = Listing(self._job.tasks)
        self.references_planned = asyncio.Event()  # it is known which references oracle() gives
        self._references = SurveyedReferences(self.gateway, concurrency=job.concurrency)

    async def run(
        self,
        factory: SandboxFactory,
        access: RunAccess,
        outbox: EventOutbox,
        references: ReferenceRun,
        *,
        keys: Mapping[str, str],
        ends: float,
    ) -> None:
        """Load the tasks in the factory's next sandbox and queue the survey for the hub.

        The process of `references` loads them too where the run needed one. Nothing is loaded where
        it is not `wanted`, or where too little of the run's time is left, which `ends` then
        (monotonic). A sandbox that cannot be made is logged.
        """
        left = ends - time.monotonic()
        if not self.wanted or left < NEEDED_SHARE * factory.limits.wall_seconds:
            return
        try:
            lasting = factory.lasting(min(left, MAX_SECONDS))
            await self._survey(lasting, access, outbox, references, keys)
        except SandboxError as error:
            outbox.log_line(f"the tasks were not surveyed: no sandbox: {error}")

    async def _survey(
        self,
        factory: SandboxFactory,
        access: RunAccess,
        outbox: EventOutbox,
        references: ReferenceRun,
        keys: Mapping[str, str],
    ) -> None:
        data = access.data.replay_endpoint()
        proxy = access.hosts.endpoint(self.gateway.judge)
        endpoints = Endpoints(self.gateway, data, proxy)
        if access.benchmarks is not None:
            try:
                self.lists = await asyncio.to_thread(read_lists, access.benchmarks)
            except OSError as error:
                outbox.log_line(f"the tasks were compared with no benchmark: {error}")
        job = self._job
        many = factory.surveying(tasks=job.tasks, seconds=job.survey_seconds)
        async with (
            references.computing(self.gateway, self.references_planned.set, many, keys),
            many.make(many.worker, keys) as sandbox,
            serving(sandbox, many.worker, endpoints),
        ):
            driver = many.drive(sandbox, self.gateway, then=self.changed_references)
            async for line in driver.lines():
                await self.add_line(line)
            end = await sandbox.wait()
        if self.survey is not None and (end.reason == "exited" or self.survey.tasks):
            outbox.add_facts(survey=await asyncio.to_thread(self.result))
            played = len(self._references.played)
            outbox.log_line(f"{self.survey.tasks} tasks were surveyed, {played} references played")

    async def add_line(self, line: bytes) -> None:
        """Process one line."""
        event = parse_event(line)
        match event.get("event"):
            case "tasks" if self.survey is None:
                self._listing.add(event)
            case "listed" if self.survey is None:
                self._listing.end(event)
            case "loaded" if self.survey is None:
                await self._loaded(event)
            case "rollout_started":
                self._references.begin(event)
            case "rollout":
                self._references.end(event)
            case "fatal" if self.survey is None and event.get("stage") == "load":
                error = record(event.get("error"))
                if error.get("type") != OUT_OF_MEMORY:  # half of what the run had
                    self.survey = Survey(limit=self._job.tasks, error=described(error))

    def result(self) -> Survey:
        """The survey with the references that were played by now; without them where the answers
        are a guess that no reward confirmed."""
        survey, references = self.survey or Survey(), self._references
        if self._guessed and not references.is_paid:
            return survey
        answers = Counter(references.answers.alone)
        top, most = answers.most_common(1)[0] if answers else ("", 0)
        leaks, examples = references.calls.leaks, references.calls.examples(self._prompts)
        return replace(
            self._with_texts(survey),
            answers=answers.total(),
            same_answers=most,
            top_answer=text(top, 200),
            references=sorted(references.played, key=lambda played: played.task),
            leaks=sorted(leaks)[:MAX_INDICES],
            leak=next(iter(leaks.values()), ""),
            mutants=references.mutants.results,
            examples=[*examples],
            example=next(iter(examples.values()), ""),
        )

    def _with_texts(self, survey: Survey) -> Survey:
        """What the prompts show together with the references."""
        answers, train = self._references.answers, self._listing.tasks[TRAIN]
        prompts, answered = self._prompts, answers.answered(train)
        labelled = sorted(
            (at, prompts.get(at, ""), each) for at, each in answers.of_prompts.items()
        )
        pairs = answers.contradicting(train)
        if pairs and not survey.contradicting:
            survey = with_contradictions(survey, pairs)
        if not survey.copied:
            shown = [(prompt, find_answer(answer).answer) for _, prompt, answer in labelled]
            copied, place = answer_place(shown)
            survey = replace(survey, copied=copied, copied_place=place)
        survey = recounted(self._listing, survey, self._references.right_replies())
        known = [task for task in train if task.answer is not None] or answered
        survey = with_shared_problems(survey, known, self._listing.tasks[EVAL])
        return replace(
            without_numbers(answered, [], survey),
            problems=few_problems(known),
            incomplete=self._incomplete() or incomplete_prompts(answered),
            short_decimals=short_decimals(labelled),
            label_rule=label_rule(labelled, "\n".join(sorted(answers.instructions))),
        )

    def _ignores_seed(self, event: dict[str, Any], tasks: Sequence[TaskResult]) -> bool:
        """Whether the first tasks are the same by the environment's own seed and by the run's."""
        own = event.get("seeds")
        options = event.get("seed_options")
        if not options or not isinstance(own, list) or self._seed in own or len(self._first) < 2:
            return False
        return [task.hash for task in tasks[: len(self._first)]] == [t.hash for t in self._first]

    @property
    def findings(self) -> list[Finding]:
        """What the conversations of the references show; the hub makes the others of `result`."""
        return self._references.findings

    @property
    def _prompts(self) -> dict[int, str]:
        return {each.index: each.prompt for each in self._listing.tasks[TRAIN]}

    def _incomplete(self) -> IncompletePrompts | None:
        """The incomplete prompts; that a text or an image is absent, only the first calls show."""
        lacking = self.survey.incomplete if self.survey else None
        answers = self._references.answers
        long = any(len(each) > LONGEST_QUESTION for each in answers.instructions)
        unknown = answers.tools or long or not self._references.played
        return None if lacking and lacking.reason == ABSENT and unknown else lacking

    async def _loaded(self, event: dict[str, Any]) -> None:
        tasks = read_tasks(event, self._job)
        rows = records(event.get("tasks"), self._job.tasks)
        self.gateway.plan.references.add_tasks(rows)
        survey = Survey(limit=self._job.tasks, seed_ignored=self._ignores_seed(event, tasks))
        train = self._listing.tasks[TRAIN]
        self._references.answers.fields = {
            each.index: each.answer for each in train if each.answer is not None
        }
        evaluation = self._listing.tasks[EVAL]
        survey = await asyncio.to_thread(compare_tasks, self._listing, survey)
        survey = await asyncio.to_thread(without_numbers, train, evaluation, survey)
        if not survey.contradicting:
            survey = with_contradictions(survey, disagreeing(train))
        survey = replace(
            survey,
            incomplete=await asyncio.to_thread(incomplete_prompts, train),
            split_difference=await asyncio.to_thread(split_difference, train, evaluation),
        )
        if self.lists is not None:
            compared = await asyncio.to_thread(overlapping, train, self.lists)
            survey = replace(survey, benchmarks=compared)
        self.survey = survey
        plays = not self._judged and event.get("compares") is not True
        playable = spread(tasks, self._references.answers.fields) if plays else []
        answered = answered_tasks(rows)
        if self.gateway.plan.references.needs_process:
            await self.references_planned.wait()
            self._references.answers.openings = self.gateway.plan.references.openings
        self.gateway.plan.make(
            playable, swapped=(), compares=False, answered=answered, tries_forms=False
        )

    async def changed_references(self) -> list[list[dict[str, Any]]]:
        """Changes of the references that were played, in groups of rollouts to be played."""
        return self._references.changed()
