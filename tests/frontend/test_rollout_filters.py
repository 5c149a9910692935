"""The filters of a run's rollouts, their order, and the way from one rollout to the next."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from registry.models import LogChunk, Run, User
from tests.factories import make_rollout, make_run, make_version
from tests.frontend.people import text

pytestmark = pytest.mark.once
TIMEOUT = {"type": "TimeoutError", "message": "no reply", "traceback": "", "fault": ""}


@pytest.fixture
def run(alice: User) -> Run:
    """Two tasks of two splits with three attempts each; the reward is the attempt's half."""
    tasks = [
        {"index": 0, "hash": "", "prompt": "Sort pears <b>", "split": "train"},
        {"index": 1, "hash": "", "prompt": "Sort apples", "split": "eval"},
    ]
    run = make_run(
        make_version(alice), policies=["model"], model="m", attempts=3, facts={"tasks": tasks},
        done=6, total=6,
    )  # fmt: skip
    for task in (1, 0):
        for attempt in range(3):
            make_rollout(
                run, "model", task, attempt=attempt, reward=attempt / 2, seconds=task + attempt,
                stop="gave up" if attempt == 1 else "answered", completion_tokens=10 * attempt,
            )  # fmt: skip
    run.rollouts.filter(task=1, attempt=0).update(ok=False, reward=None, error=TIMEOUT)
    return run


def shown(page: str) -> list[str]:
    """Task and attempt of each row, in order."""
    table = page.partition('<table class="fold rollouts">')[2]
    return [f"{a}/{b}" for a, b in re.findall(r"task (\d+) · attempt (\d+)", table)]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("", ["0/0", "0/1", "0/2", "1/0", "1/1", "1/2"]),
        ("sort=finished", ["1/0", "1/1", "1/2", "0/0", "0/1", "0/2"]),
        ("sort=-reward", ["0/2", "1/2", "0/1", "1/1", "0/0", "1/0"]),
        ("sort=seconds&split=eval", ["1/0", "1/1", "1/2"]),
        ("sort=-seconds&task=0", ["0/2", "0/1", "0/0"]),
        ("sort=-tokens&outcome=scored", ["0/2", "1/2", "0/1", "1/1", "0/0"]),
        ("outcome=failed", ["1/0"]),
        ("min_reward=0.5&max_reward=0.9", ["0/1", "1/1"]),
        ("min_seconds=2.5", ["1/2"]),
        ("max_seconds=0", ["0/0"]),
        ("text=GAVE", ["0/1", "1/1"]),
        ("text=pears", ["0/0", "0/1", "0/2"]),
        ("text=timeouterror", ["1/0"]),
        ("text=no+reply", ["1/0"]),
        ("text=100%25", []),
    ],
)
def test_rollouts_are_filtered_and_sorted_by_the_address(
    client: Client, run: Run, query: str, rows: list[str]
) -> None:
    assert shown(text(client, f"/runs/{run.pk}/?{query}")) == rows


def test_a_wrong_filter_is_named_and_filters_nothing(client: Client, run: Run) -> None:
    page = text(client, f"/runs/{run.pk}/?min_reward=nan&policy=nobody&sort=x&page=x&model=x")
    assert len(shown(page)) == 6
    assert "Enter a number." in page
    assert "nobody is not one of the available choices" in page


def test_rollouts_are_grouped_by_task_with_its_prompt_and_split(client: Client, run: Run) -> None:
    page = text(client, f"/runs/{run.pk}/")
    groups = re.findall(r'scope="rowgroup">(.*?)</th>', page)
    assert "Task 0" in groups[0]
    assert '<span class="tag">train</span>' in groups[0]
    assert "Sort pears &lt;b&gt;" in groups[0]
    assert "Task 1" in groups[1]
    assert 'scope="rowgroup"' not in text(client, f"/runs/{run.pk}/?sort=-reward")


def test_previous_and_next_follow_the_filters_and_the_order(client: Client, run: Run) -> None:
    query = "outcome=scored&sort=-reward"
    page = text(client, f"/runs/{run.pk}/?{query}")
    places = []
    address = html.unescape(re.findall(r'id="rollout-\d+" href="[^"]*(/runs/[^"]+)"', page)[0])
    while address:
        page = text(client, address)
        places += re.findall(r'<span class="muted">(\d of 5 selected)</span>', page)
        title = re.findall(r"<h1>(.*?)</h1>", page)[0]
        following = re.findall(r'rel="next" href="([^"]+)"', page)
        assert f"{query.replace('&', '&amp;')}#rollout-" in page  # the way back keeps them
        address = html.unescape(following[0]) if following else ""
    assert places == [f"{n} of 5 selected" for n in range(1, 6)]
    assert "task 0 · attempt 0" in title
    assert 'rel="prev"' in page


def test_a_rollout_outside_the_selection_leads_to_the_first_selected(
    client: Client, run: Run
) -> None:
    failed, first = run.rollouts.get(ok=False), run.rollouts.get(task=0, attempt=0)
    page = text(client, f"/runs/{run.pk}/rollouts/{failed.pk}/?outcome=scored")
    assert "not among the 5 selected" in page
    assert f'rel="next" href="/runs/{run.pk}/rollouts/{first.pk}/?outcome=scored"' in page


def test_the_log_is_searched_in_any_case_and_shown_with_marks(client: Client, run: Run) -> None:
    LogChunk.objects.create(run=run, attempt=1, seq=1, text="one <i>\nTWO\n" + "x\n" * 40_000)
    page = client.get(f"/runs/{run.pk}/?log=two&outcome=failed").content.decode()
    assert '<span class="muted">2</span> <mark>TWO</mark>' in page
    assert "1 line with “two”" in " ".join(page.split())
    assert '<input type="hidden" name="outcome" value="failed">' in page
    assert '<input type="hidden" name="log" value="two">' in page
    page = client.get(f"/runs/{run.pk}/?log=%3Ci%3E").content.decode()
    assert "one <mark>&lt;i&gt;</mark>" in page
    many = " ".join(client.get(f"/runs/{run.pk}/?log=x").content.decode().split())
    assert "40000 lines with “x”; the first 200 are shown" in many


def test_a_page_of_filtered_rollouts_costs_a_fixed_number_of_queries(
    client: Client, run: Run, django_assert_max_num_queries: Any
) -> None:
    for task in range(2, 150):
        make_rollout(run, "model", task)
    rollout = run.rollouts.get(task=149)
    query = "text=sort&sort=-reward&min_reward=0"
    with django_assert_max_num_queries(14):
        text(client, f"/runs/{run.pk}/?{query}")
    with django_assert_max_num_queries(10):
        text(client, f"/runs/{run.pk}/rollouts/{rollout.pk}/?{query}")
