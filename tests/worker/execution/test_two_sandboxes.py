"""The survey and the trainer's host beside the replays, within the memory of one sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from envyard_runner.limits import Limits
from envyard_runner.sandbox import Exit, SandboxError
from tests.worker.scripted_sandbox import EXITED, SPEC, ScriptedSandbox, perform_run, play_all

WHOLE = 4 << 30
SURVEYED = replace(
    SPEC,
    survey_tasks=50,
    limits=replace(SPEC.limits, memory_bytes=WHOLE),
)


@dataclass
class Sandboxes:
    """All sandboxes of one run: their limits, and the most that were open at once.

    A replay waits for the survey to begin, if `meet`. The rollouts of the first fail by `error`.
    """

    end: Exit = EXITED
    meet: bool = True
    error: dict[str, str] = field(default_factory=dict)
    limits: list[Limits] = field(default_factory=list)
    open_now: int = 0
    most: int = 0
    closed: int = 0
    surveying: asyncio.Event = field(default_factory=asyncio.Event)
    hang: bool = False
    refuse: bool = False

    def prepare(
        self, *, files: dict[str, bytes], limits: Limits, certificates: bytes, **_: object
    ) -> Any:
        self.limits.append(limits)
        number, survey = len(self.limits), b'"listed_tasks": 50' in files["config.json"]
        if survey and self.refuse:
            raise SandboxError("no uid is free")
        return _Counted(self, self._program(number, survey=survey), self.end).prepare(
            files=files, certificates=certificates
        )

    def _program(self, number: int, *, survey: bool) -> Callable[..., AsyncIterator[Any]]:
        async def program(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
            if survey:
                self.surveying.set()
                if self.hang:
                    await asyncio.sleep(3600)
            elif number > 1 and self.meet:
                await self.surveying.wait()
            if number > 1 and self.hang:
                return
            async for event in play_all(sandbox):
                failed = self.error and number == 1 and event["event"] == "rollout"
                yield event | {"ok": False, "error": self.error} if failed else event

        return program


class _Counted(ScriptedSandbox):
    def __init__(self, counts: Sandboxes, program: Any, end: Exit) -> None:
        super().__init__(program, end)
        self.counts = counts

    async def __aenter__(self) -> ScriptedSandbox:
        self.counts.open_now += 1
        self.counts.most = max(self.counts.most, self.counts.open_now)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.counts.open_now -= 1
        self.counts.closed += 1


def perform(sandboxes: Sandboxes, spec: Any = SURVEYED) -> Any:
    return perform_run(spec=spec, prepare=sandboxes.prepare)


def test_survey_and_trainers_host_run_beside_the_replays_within_the_memory_of_one_sandbox() -> None:
    sandboxes = Sandboxes()
    outcome = perform(sandboxes)
    assert outcome.result[0] == "succeeded"
    assert (sandboxes.most, sandboxes.open_now) == (3, 0)
    played, *others = sandboxes.limits
    assert played.memory_bytes == WHOLE
    for_files = 2 * played.tmp_bytes
    shares = [each.memory_bytes + for_files for each in others]
    assert shares == [(WHOLE + for_files) / 4] * 3  # beside the survey may be its references' own
    assert outcome.hub.facts["survey"]["limit"] == 50


@pytest.mark.parametrize(
    ("end", "spec"),
    [
        (replace(EXITED, peak_memory_bytes=1 << 30), SURVEYED),
        (EXITED, replace(SURVEYED, limits=replace(SURVEYED.limits, memory_bytes=1 << 30))),
    ],
    ids=["a large environment", "little memory"],
)
def test_sandboxes_run_one_after_the_other_where_two_would_not_fit(end: Exit, spec: Any) -> None:
    sandboxes = Sandboxes(end=end, meet=False)
    outcome = perform(sandboxes, spec)
    assert outcome.result[0] == "succeeded"
    assert sandboxes.most == 1
    assert {each.memory_bytes for each in sandboxes.limits} == {spec.limits.memory_bytes}
    assert outcome.hub.facts["survey"]["limit"] == 50


def test_a_survey_that_hangs_ends_with_a_run_whose_second_load_failed() -> None:
    sandboxes = Sandboxes(hang=True)
    assert perform(sandboxes).result[0] == "errored"
    assert (sandboxes.open_now, sandboxes.closed) == (0, 4)


def test_a_failed_rollout_keeps_the_others_at_once_and_a_slow_one_does_not() -> None:
    for error, most in (({"type": "ValueError"}, 2), ({"type": "RolloutTimeout"}, 1)):
        sandboxes = Sandboxes(meet=False, error=error)
        assert perform(sandboxes).result[0] == "succeeded"
        assert sandboxes.most == most, error


def test_a_survey_without_a_sandbox_changes_nothing_of_the_run() -> None:
    sandboxes = Sandboxes(meet=False, refuse=True)
    outcome = perform(sandboxes)
    assert outcome.result[0] == "succeeded"
    assert "the tasks were not surveyed: no sandbox: no uid is free" in outcome.hub.log
