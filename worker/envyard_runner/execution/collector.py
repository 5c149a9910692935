"""Check the sandbox's event lines against the plan and the gateway's record.

Only rewards, metrics and errors are taken from a line: which policy answered, how often, for how
long and with which messages comes from the gateway and the runner's own clock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from envyard.contract.facts import Facts, TaskResult
from envyard.contract.job import MODEL, JobSpec
from envyard.contract.runner_events import RolloutResult
from envyard.contract.values import count, finite, records, text
from envyard_runner.execution.conversations import Conversations
from envyard_runner.execution.event_lines import lacking_tasks, parse_event, read_tasks
from envyard_runner.execution.right_replies import RightReplies
from envyard_runner.gateway.form_trial import answered_tasks
from envyard_runner.gateway.plan import Plan
from envyard_runner.gateway.rollout_records import Record, RolloutRecords

PROMPT_CHARACTERS = 1_000_000  # of all tasks together
NAMED_REJECTIONS = 10
KEPT_ERRORS = 50  # of failed rollouts, to be compared
NO_CALL = "no call to the policy; not counted"
NO_PROMPT = "its first calls lacked the task's prompt; not counted"
TIMEOUT = "RolloutTimeout"  # the type of the worker's own error
NAMED_IMAGES, IMAGE_CHARACTERS = 20, 200
NEVER = float("-inf")
LATE_SECONDS = 5.0  # by which a line may arrive after what it reports
OUTPUT_BYTES = 4096  # bytes of what is printed before the environment's code begins


class EventCollector:
    """One run, built from its event lines.

    Repeated, unplanned and unreadable lines, which our own code never sends, are dropped:
    `rejections` counts them, and `rejected` names the first.
    `began`: the worker reported that it imports the environment; `output` is the end of what was
    printed before. Of the rollouts that were `scored`, `without_call` made no call to the policy,
    `without_prompt` never sent their task's prompt (by name, with the beginning of the first call),
    `not_compared` have no prompt to compare; `changed` are tasks that got another prompt in a fresh
    load; of `right_replies` a probe's reply happened to be the reference. `failed` counts rollouts
    without a result, `timeouts` those of them that took longer than `rollout_seconds`. `images` are
    the container images that the environment needs; a forged line of that kind has only the own
    version held.
    `first_task` is the index of the shard's first task, beyond which there may be none;
    `lacking_tasks` are those that the suite names and the environment did not load.
    `planned_at` is when the plan was made, before any rollout; `sent_outside` returns when a byte
    was last sent to a host (both by `clock`).
    """

    def __init__(
        self,
        job: JobSpec,
        rollout_records: RolloutRecords,
        plan: Plan,
        clock: Callable[[], float] = time.monotonic,
        sent_outside: Callable[[], float] = lambda: NEVER,
    ) -> None:
        self.tasks: list[TaskResult] | None = None
        self.fatal: dict[str, Any] | None = None
        self.began = False
        self.done = False
        self.output = b""
        self.without_call: list[str] = []
        self.without_prompt: dict[str, str] = {}
        self.not_compared: list[str] = []
        self.conversations = Conversations()
        self.changed: set[int] = set()
        self.right_replies = RightReplies()
        self.scored: list[str] = []
        self.rejected: list[str] = []
        self.rejections = 0
        self.model_faults: dict[str, str] = {}
        self.failed = self.timeouts = 0
        self.rollout_seconds = job.limits.rollout_seconds
        self.errors: list[dict[str, Any]] = []
        self.images: list[str] = []
        self.machine_needed = asyncio.Event()
        self.planned_at = NEVER
        self.first_task, self.loaded_tasks = job.first_task, 0
        self.lacking_tasks: list[int] = []
        self.plan, self._job, self._clock = plan, job, clock
        self._sent_outside = sent_outside
        self._rollout_records = rollout_records
        self._started: dict[str, float] = {}
        self._reported: set[str] = set()
        self._rows: list[dict[str, Any]] = []
        self._compares = False

    def add_line(self, line: bytes) -> Facts | RolloutResult | None:
        """Process one line; returns the facts or the rollout result for the hub, if any."""
        event = parse_event(line)
        match event.get("event"):
            case "environment_began" if not self.began:
                self.began = True
                return Facts(environment_began=True)
            case "loaded" if self.tasks is None:
                return self._loaded(event)
            case "rollout_started":
                claim = text(event.get("rollout"), 100)
                if rollout := self.plan.name(claim):
                    self._started.setdefault(rollout, self._clock())
                else:
                    self.reject(claim)
            case "rollout":
                return self._rollout(event)
            case "needs_machine" if self.began:
                self._need_machine(text(event.get("image"), IMAGE_CHARACTERS))
            case "fatal" if self.fatal is None:
                self.fatal = event
            case "done":
                self.done = True
            case other:
                self.reject(text(other, 40))
        return None

    def compare_prompts(self, tasks: list[TaskResult]) -> None:
        """Record the tasks that have the same hash and another prompt in a fresh load.

        Tasks whose hash changed are measured by the card (`card.reproducible_tasks`).
        """
        maximum = _prompt_characters(len(self.tasks or ()))
        fresh = {(task.index, task.hash): text(task.prompt, maximum) for task in tasks}
        for task in self.tasks or ():
            if fresh.get((task.index, task.hash), task.prompt) != task.prompt:
                self.changed.add(task.index)

    @property
    def not_counted(self) -> dict[str, str]:
        """The scored rollouts that are no evidence, each with the code of its finding."""
        changed = [name for name in self.scored if int(name.split("/")[1]) in self.changed]
        return {
            **dict.fromkeys(changed, "run.prompt_changed"),
            **dict.fromkeys(self.without_prompt, "run.prompt_not_sent"),
            **dict.fromkeys(self.without_call, "run.no_model_call"),
        }

    def add_output(self, chunk: bytes) -> None:
        """Keep the end of what the sandbox printed before the environment's code began."""
        if not self.began:
            self.output = (self.output + chunk)[-OUTPUT_BYTES:]

    @property
    def missing(self) -> list[str]:
        """Expected rollouts without a result, in order."""
        return sorted(self.plan.expected - self._reported)

    def reject(self, claim: str) -> None:
        """Count a line that the plan does not contain."""
        self.rejections += 1
        if claim not in self.rejected and len(self.rejected) < NAMED_REJECTIONS:
            self.rejected.append(claim)

    def _need_machine(self, image: str) -> None:
        """Keep the name of a container image that the environment needs.

        Tasks that are still being listed may need further images, so the list ends first.
        """
        if image not in self.images and len(self.images) < NAMED_IMAGES:
            self.images.append(image)
        if self.tasks is not None:
            self.machine_needed.set()

    def make_plan(self) -> None:
        """Plan the rollouts, once it is known which tasks have references."""
        self.planned_at = self._clock()
        references = self.plan.references
        known = {task.index for task in self.tasks or () if references.knows(task.index)}
        self.plan.make(
            []
            if self.lacking_tasks
            else [replace(t, reference=t.reference and t.index in known) for t in self.tasks or ()],
            swapped=references.others,
            compares=self._compares,
            prompted={count(row.get("index")) for row in self._rows if row.get("prompted") is True},
            answered=answered_tasks(self._rows),
        )

    def _loaded(self, event: dict[str, Any]) -> Facts:
        tasks = read_tasks(event, self._job)
        maximum = _prompt_characters(len(tasks))
        self.tasks = [replace(task, prompt=text(task.prompt, maximum)) for task in tasks]
        self.loaded_tasks = count(event.get("loaded_tasks"))
        self.lacking_tasks = lacking_tasks(tasks, self._job)
        if self.images:
            self.machine_needed.set()
        rows = records(event.get("tasks"), self._job.tasks)
        self._rows, self._compares = rows, event.get("compares") is True
        self.plan.references.add_tasks(rows)
        self.plan.forms.field = text(event.get("answer_field"), 200)
        if not self.plan.references.needs_process:
            self.make_plan()
        listed, loaded = event.get("seed_options"), event.get("loaded_tasks")
        options = listed if isinstance(listed, list) else None
        return Facts(
            load_seconds=finite(event.get("seconds")),
            framework_version=text(event.get("framework_version"), 80),
            tasks=self.tasks,
            loaded_tasks=None if loaded is None else count(loaded),
            earlier_tasks=text(event.get("earlier_tasks"), 64),
            seed_entry=text(event.get("seed_entry"), 80),
            seed_options=None if options is None else [text(name, 80) for name in options[:20]],
        )

    def _rollout(self, event: dict[str, Any]) -> Facts | RolloutResult | None:
        alias = text(event.get("rollout"), 100)
        rollout = self.plan.name(alias)
        if rollout is None or rollout in self._reported:
            self.reject(rollout or alias)
            return None
        self._reported.add(rollout)
        record = self._rollout_records.take(rollout)
        reward = finite(event.get("reward")) if event.get("ok") is True else None
        if self.plan.forms.ended(rollout, reward):
            return Facts(answer_form=form) if (form := self.plan.forms.result) else None
        began = self._started.get(rollout)
        seconds = finite(event.get("seconds")) or 0.0 if began is None else self._clock() - began
        used_network = self._used_network(rollout)
        self.plan.replays.keep(record, reward=reward, seconds=seconds, used_network=used_network)
        if rollout not in self.plan.expected:
            return None
        policy, task, attempt = rollout.split("/")
        claim = RolloutResult.from_dict(
            event | {"policy": policy, "task": int(task), "attempt": int(attempt)}
        )
        report = self._join(replace(claim, seconds=seconds), record)
        if not report.ok and rollout not in self.model_faults:
            self._keep_error(report, event.get("error"))
        return report

    def _used_network(self, rollout: str) -> bool:
        """Whether a byte was sent to a host outside while the rollout ran, by it or by another.

        Its first call may arrive before its `rollout_started` line, but not before the plan.
        """
        began = self._started.get(rollout, self.planned_at) - LATE_SECONDS
        return self._sent_outside() >= max(began, self.planned_at) > NEVER

    def _keep_error(self, report: RolloutResult, error: Any) -> None:
        """Keep the errors of the first failed rollouts with the worker's structured facts about
        them."""
        self.failed += 1
        self.timeouts += (report.error or {}).get("type") == TIMEOUT
        if len(self.errors) < KEPT_ERRORS:
            raised = error.get("raised") if isinstance(error, dict) else None
            self.errors.append({**(report.error or {}), "raised": raised})

    def _join(self, claim: RolloutResult, record: Record) -> RolloutResult:
        rollout = record.rollout
        stop = self._count(record) if claim.ok else ""
        if not claim.ok and _is_model_fault(claim, record):
            fault = (
                record.model_fault or "the model was slow: most of the rollout's time was its own"
            )
            self.model_faults[rollout] = fault
        return replace(
            claim,
            reward=claim.reward if claim.ok else None,
            transcript=record.transcript,
            turns=record.replies,
            stop=stop or claim.stop,
            truncated=claim.truncated or record.finish_reason == "length",
            usage=record.usage,
            error=None if claim.ok else self._error(claim, record),
        )

    def _count(self, record: Record) -> str:
        """Record a scored rollout; returns why it does not count, empty where it does."""
        self.scored.append(record.rollout)
        if record.replies == 0:
            self.without_call.append(record.rollout)
            return NO_CALL
        if record.prompt_shown is False:
            self.without_prompt[record.rollout] = record.first_call
            return NO_PROMPT
        task = int(record.rollout.split("/")[1])
        references = self.plan.references
        self.conversations.add(record, references.answer(task), references.field(task))
        self.right_replies.add(record)
        if record.prompt_shown is None:
            self.not_compared.append(record.rollout)
        return ""

    def _error(self, claim: RolloutResult, record: Record) -> dict[str, str]:
        error = claim.error or {"type": "Failed", "message": "it failed without saying why"}
        if record.reference_error:
            error |= {"type": "OracleFailed", "message": record.reference_error}
        elif record.spent:
            error |= {"type": "BudgetSpent", "message": record.spent}
        if record.rollout in self.model_faults:
            message = self.model_faults[record.rollout]
            return error | {"message": message, "fault": "model"}
        return error | {"fault": "environment"}


def _prompt_characters(tasks: int) -> int:
    return max(200, PROMPT_CHARACTERS // max(1, tasks))


def _is_model_fault(claim: RolloutResult, record: Record) -> bool:
    """Whether the gateway's record confirms that the model failed this rollout."""
    claimed = claim.error is not None and claim.error.get("fault") == "model"
    slow = record.model_seconds > 0.5 * (finite(claim.seconds) or 0.0)
    late = claimed and record.policy == MODEL and slow and not record.refused
    return bool(record.model_fault) or late
