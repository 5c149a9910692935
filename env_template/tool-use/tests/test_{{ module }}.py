import json

import pytest

from {{ module }} import {{ class_name }}Taskset
from {{ module }}.shop import PRICES, orders, price, score
from {{ module }}.taskset import {{ class_name }}Config


@pytest.fixture(scope="module")
def tasks():
    return list({{ class_name }}Taskset({{ class_name }}Config(id="{{ name }}", num_tasks=50)))


def last_reply(task):
    """The oracle's last reply, after the real tool has answered its tool calls."""
    messages = [{"role": "user", "content": task.data.prompt}]
    while isinstance(reply := task.oracle(messages), dict):
        (call,) = reply["tool_calls"]
        said = price(**json.loads(call["function"]["arguments"]))
        assert not said.startswith("error")
        messages += [reply, {"role": "tool", "tool_call_id": call["id"], "content": said}]
    return reply


def test_every_task_is_different(tasks):
    assert len({task.data.prompt for task in tasks}) == 50


def test_the_oracle_is_paid_in_full(tasks):
    for task in tasks:
        assert score(last_reply(task), task.data.total) == 1.0


def test_doing_no_work_is_not_paid(tasks):
    for task, other in zip(tasks, tasks[1:], strict=False):
        assert task.data.total != other.data.total
        for reply in ("", task.data.prompt, last_reply(other), "Answer: 1\nAnswer: 2"):
            assert score(reply, task.data.total) == 0.0


def test_an_unknown_item_is_answered_with_a_sentence():
    assert price("LAMP ") == f"{PRICES['lamp']} cents"
    assert price("dragon").startswith("error: no 'dragon' in the shop")


def test_the_same_seed_gives_the_same_tasks():
    assert list(orders(seed=3, count=20)) == list(orders(seed=3, count=20))
    assert list(orders(seed=3, count=20)) != list(orders(seed=4, count=20))
