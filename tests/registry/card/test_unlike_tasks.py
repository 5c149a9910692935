"""Tasks in which wrong changes of right answers are paid although others refuse them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from envyard.card.evidence import Evidence
from envyard.card.unlike_tasks import unlike_tasks
from envyard.contract.facts import TaskResult
from envyard.contract.findings import Finding
from envyard.contract.mutants import MutantResult
from envyard.contract.survey import Survey
from tests.registry.card.test_measures import evidence
from tests.registry.run_factories import make_facts

EVALUATED = range(5)


def changed(policy: str, task: int, reward: float, *operators: str) -> list[MutantResult]:
    """What changes of a paid reply got, with the control and nothing in its place."""
    rewards = {"unchanged": 1.0, "blank": 0.0} | dict.fromkeys(operators, reward)
    return [
        MutantResult(f"{policy}/{task}/0", operator, "7", "8", each, 1.0)
        for operator, each in rewards.items()
    ]


def run(
    played: Iterable[float], others: Iterable[float], operators: tuple[str, ...] = ("digit", "word")
) -> Evidence:
    """A run whose changed answers got these rewards, in its own tasks and in others."""
    facts = make_facts()
    mine = [m for at, each in enumerate(played) for m in changed("oracle", at, each, *operators)]
    rest = [
        m for at, each in enumerate(others, 10) for m in changed("survey", at, each, *operators)
    ]
    tasks = [TaskResult(index=index, hash=str(index), prompt="What?") for index in EVALUATED]
    survey = Survey(limit=300, tasks=100, mutants=rest)
    return evidence(facts=replace(facts, tasks=tasks, mutants=mine, survey=survey))


def only(run: Evidence) -> Finding | None:
    return next(iter(unlike_tasks(run)), None)


def test_strict_rewards_of_the_played_tasks_alone_are_an_error() -> None:
    finding = only(run([0.0] * 5, [1.0] * 10))
    assert finding is not None
    assert (finding.code, finding.severity) == ("card.played_tasks_differ", "error")
    assert "lost the reward in the 5 tasks that the run played" in finding.message
    assert "kept it in 10 of 10 other tasks, such as task 10: [-7-]{+8+}" in finding.message
    assert finding.details["tasks"] == [*range(10, 20)]


def test_a_part_of_lenient_tasks_is_a_warning_that_names_them() -> None:
    finding = only(run([0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0, 0.0]))
    assert finding is not None
    assert (finding.code, finding.severity) == ("card.lenient_tasks", "warning")
    assert "In 3 of 8 tasks" in finding.message
    assert finding.details["tasks"] == [1, 10, 13]


@pytest.mark.parametrize(
    ("played", "others"),
    [
        ([0.0] * 5, [0.0] * 20),  # all are strict
        ([1.0] * 5, [1.0] * 20),  # all are lenient: `mutants_caught` warns
        ([0.0] * 5, [0.0] * 18 + [1.0] * 2),  # two, which other right answers explain
        ([0.0] * 5, []),
        ([], [1.0] * 20),
    ],
)
def test_tasks_that_are_judged_alike_have_no_finding(
    played: list[float], others: list[float]
) -> None:
    assert only(run(played, others)) is None


def test_few_tasks_and_single_changes_say_nothing_of_the_evaluation() -> None:
    few = only(run([0.0] * 5, [1.0] * 7))
    assert few is not None
    assert few.code == "card.lenient_tasks"
    assert only(run([0.0] * 5, [1.0] * 20, ("digit",))) is None
