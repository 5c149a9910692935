import pytest

from {{ module }} import {{ class_name }}Taskset
from {{ module }}.game import MAX_TURNS, SPAN, Game, secrets
from {{ module }}.taskset import {{ class_name }}Config


@pytest.fixture(scope="module")
def tasks():
    return list({{ class_name }}Taskset({{ class_name }}Config(id="{{ name }}", num_tasks=50)))


def play(secret, policy):
    """The finished game of a policy, which answers the user's last message."""
    game, heard = Game(secret=secret), ""
    while (heard := game.hear(policy(heard))) is not None:
        pass
    return game


def test_every_task_is_different(tasks):
    assert len({task.data.prompt for task in tasks}) == 50


def test_the_oracle_is_paid_in_full(tasks):
    for task in tasks:
        assert play(task.data.secret, lambda heard, task=task: task.oracle([])).reward == 1.0


def test_doing_no_work_is_not_paid(tasks):
    for task, other in zip(tasks, tasks[1:], strict=False):
        for reply in ("", task.data.prompt, other.oracle([]), "<guess>1</guess><guess>2</guess>"):
            game = play(task.data.secret, lambda heard, reply=reply: reply)
            assert game.reward == 0.0
            assert game.turns == MAX_TURNS


def test_halving_finds_every_number():
    for secret in range(500, 500 + SPAN):
        low, high = 500, 500 + SPAN - 1

        def halve(heard):
            nonlocal low, high
            if "higher" in heard:
                low = (low + high) // 2 + 1
            elif "lower" in heard:
                high = (low + high) // 2 - 1
            return f"<guess>{(low + high) // 2}</guess>"

        assert play(secret, halve).reward == 1.0


def test_the_same_seed_gives_the_same_tasks():
    assert list(secrets(seed=3, count=20)) == list(secrets(seed=3, count=20))
    assert list(secrets(seed=3, count=20)) != list(secrets(seed=4, count=20))
