"""Which tasks of a survey are played: spread over all, with rare forms of answers among them."""

from envyard.contract.facts import TaskResult
from envyard_runner.execution.surveyed_tasks import PLAYED, spread


def tasks(number: int) -> list[TaskResult]:
    return [TaskResult(index, f"{index:064x}", "", reference=True) for index in range(number)]


def test_the_played_tasks_are_spread_from_the_first_to_the_last() -> None:
    indexes = [task.index for task in spread(tasks(191), {})]
    assert indexes == [*range(0, 191, 10)]
    assert [task.index for task in spread(tasks(7), {})] == [*range(7)]


def test_a_rare_form_of_answers_is_played_although_no_spread_task_has_it() -> None:
    answers = {index: "8/1" if index % 10 == 3 else f"{index + 1}/7" for index in range(191)}
    indexes = [task.index for task in spread(tasks(191), answers)]
    assert 3 in indexes
    assert {0, 190} <= {*indexes}
    assert len(indexes) == PLAYED


def test_a_form_that_one_task_has_alone_displaces_nothing() -> None:
    answers = {index: "a word" if index == 3 else str(index) for index in range(1, 191)}
    assert 3 not in [task.index for task in spread(tasks(191), answers)]
