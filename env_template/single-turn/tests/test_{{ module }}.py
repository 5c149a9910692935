import pytest

from {{ module }} import {{ class_name }}Taskset
from {{ module }}.problems import problems
from {{ module }}.rewards import score
from {{ module }}.taskset import {{ class_name }}Config


@pytest.fixture(scope="module")
def tasks():
    return list({{ class_name }}Taskset({{ class_name }}Config(id="{{ name }}", num_tasks=50)))


def test_every_task_is_different(tasks):
    assert len({task.data.prompt for task in tasks}) == 50


def test_the_oracle_is_paid_in_full(tasks):
    for task in tasks:
        assert score(task.oracle([]), sorted(task.data.words)) == 1.0


def test_doing_no_work_is_not_paid(tasks):
    for task, other in zip(tasks, tasks[1:], strict=False):
        answer = sorted(task.data.words)
        assert score("", answer) == 0.0
        assert score(task.data.prompt, answer) == 0.0
        assert score(f"<answer>{' '.join(task.data.words)}</answer>", answer) == 0.0
        assert score(other.oracle([]), answer) == 0.0


def test_two_answers_count_as_none():
    assert score("<answer>b a</answer><answer>a b</answer>", ["a", "b"]) == 0.0


def test_the_same_seed_gives_the_same_tasks():
    assert list(problems(seed=3, count=20)) == list(problems(seed=3, count=20))
    assert list(problems(seed=3, count=20)) != list(problems(seed=4, count=20))
