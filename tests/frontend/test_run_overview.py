"""The grid of tasks and attempts, the histograms and the sums of a run's page."""

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.utils.html import strip_tags

from registry.models import Run, User
from registry.runs import suites
from tests.factories import make_rollout, make_run, make_version
from tests.frontend.people import text

pytestmark = pytest.mark.once


@pytest.fixture
def evaluated(alice: User) -> Run:
    """A run of a model at two tasks with three attempts, and of a probe."""
    run = make_run(make_version(alice), policies=["silent", "model"], model="m", attempts=3)
    for attempt, reward in enumerate((0.0, 0.5)):
        make_rollout(
            run, "model", 0, reward=reward, attempt=attempt, seconds=2.0, model_seconds=1.0,
            prompt_tokens=10, completion_tokens=1000,
        )  # fmt: skip
    for attempt, reward_or_none in enumerate((2.0, None, 1.9)):
        make_rollout(run, "model", 1, reward=reward_or_none, attempt=attempt)
    make_rollout(run, "silent", 0, reward=-1.0)
    return run


def words(client: Client, url: str) -> str:
    """The text of the page."""
    return " ".join(html.unescape(strip_tags(text(client, url))).split())


def grid(page: str, name: str) -> list[str]:
    """The rows of one grid."""
    table = page.partition(f'<h2 id="{name}">')[2].partition("</table>")[0]
    return table.partition("<tbody>")[2].split("<tr>")[1:]


def test_the_grid_shows_each_attempt_of_a_task_on_one_scale_and_links_to_it(
    client: Client, evaluated: Run
) -> None:
    page = text(client, f"/runs/{evaluated.pk}/")
    first, second = grid(page, "model")
    cells = re.findall(r'class="cell (\w+)"[^>]*>([^<]*)<', first + second)
    # The scale goes from the probe's -1 to the model's 2.
    assert cells == [
        ("r1", "0"), ("r2", "0.5"), ("none", "–"), ("r3", "2"), ("failed", "failed"), ("r3", "1.9"),
    ]  # fmt: skip
    rollout = evaluated.rollouts.get(policy="model", task=0, attempt=1)
    assert f'href="/runs/{evaluated.pk}/rollouts/{rollout.pk}/"' in first
    assert 'aria-label="rewards from 0 to 0.5, mean 0.25"' in first
    assert 'data-label="Spread">0.1</td>' in second
    assert "-1 to -0.25</span>" in page
    assert "1.25 to 2</span>" in page


def test_tasks_are_ordered_by_their_mean_or_spread(client: Client, evaluated: Run) -> None:
    make_rollout(evaluated, "model", 2, reward=None)
    make_rollout(evaluated, "model", 3, reward=1.0)
    for query, tasks in {
        "": "0123",
        "?order=mean": "0312",
        "?order=spread": "3102",
        "?order=__class__": "0123",
    }.items():
        rows = grid(text(client, f"/runs/{evaluated.pk}/{query}"), "model")
        assert [re.findall(r"Rollouts of task (\d)", row)[0] for row in rows] == list(tasks), query


def test_probes_have_a_grid_of_their_own(client: Client, evaluated: Run) -> None:
    page = text(client, f"/runs/{evaluated.pk}/")
    assert len(grid(page, "model")) == 2
    (row,) = grid(page, "probes")
    assert 'class="cell r0"' in row
    assert ">silent -1</a>" in row


def test_tokens_and_time_are_summed_by_policy(client: Client, evaluated: Run) -> None:
    page = text(client, f"/runs/{evaluated.pk}/")
    table = page.partition('<h2 id="usage">')[2].partition("</table>")[0]
    model = table.partition('<td class="wide">m</td>')[2]
    for cell in ('Tokens in">20', 'out">2,000', 'Slowest">2 s', 'In the model">50 %'):
        assert f'data-label="{cell}</td>' in model
    assert 'aria-label="m: 0, 0, 0, 1, 0, 1, 0, 0, 0, 2"' in page


def test_a_run_of_many_tasks_has_pages_of_them_and_costs_no_more_queries(
    client: Client, alice: User, django_assert_max_num_queries: Any
) -> None:
    run = make_run(make_version(alice), policies=["model"], model="m", tasks=120, total=1200)
    for task in range(120):
        make_rollout(run, "model", task)
    with django_assert_max_num_queries(14):
        page = text(client, f"/runs/{run.pk}/?model=5&order=mean")
    assert len(grid(page, "model")) == 20
    assert '?order=mean&amp;model=4#model">Previous tasks</a>' in page
    assert "Page 5 of 5, 120 tasks" in page
    assert "Order of completion" not in page  # too many bars to tell apart


def test_a_run_without_rollouts_shows_no_empty_charts(client: Client, alice: User) -> None:
    run = make_run(make_version(alice), status="running", total=10)
    page = text(client, f"/runs/{run.pk}/")
    assert 'id="usage"' not in page
    assert 'class="cell' not in page


def test_the_pages_of_an_evaluation_name_its_model(client: Client, alice: User) -> None:
    version = make_version(alice, status="listed")
    full = suites.built_in("full")
    run = make_run(
        version, policies=["model"], model="org/tiny", purpose="evaluation", suite=full, attempts=2
    )
    rollout = make_rollout(run, "model", 0, reward=0.5)
    make_rollout(run, "model", 0, reward=1.0, attempt=1)
    page = words(client, f"/runs/{run.pk}/")
    assert page.startswith("org/tiny on alice/demo-env==0.1.0")
    assert "org/tiny · task 0 · attempt 1" in page
    assert not re.search(r"\bmodel ·|· model\b", page)
    viewed = words(client, f"/runs/{run.pk}/rollouts/{rollout.pk}/")
    assert viewed.startswith("org/tiny task 0 – alice/demo-env")
    assert "← org/tiny on alice/demo-env==0.1.0" in viewed
    compared = words(client, f"/runs/{run.pk}/rollouts/{rollout.pk}/difference/")
    assert "org/tiny · attempt 1" in compared
    runs = text(client, "/envs/alice/demo-env/?tab=evaluations").partition('id="runs"')[2]
    assert re.search(r">full</td>.*org/tiny <span", runs)


def test_the_page_of_a_run_that_lists_names_the_version_alone(client: Client, alice: User) -> None:
    run = make_run(make_version(alice), policies=["silent", "model"], model="org/tiny")
    make_rollout(run, "model", 0, reward=0.5)
    page = words(client, f"/runs/{run.pk}/")
    assert page.startswith("Run of alice/demo-env==0.1.0")
    assert "silent, org/tiny" in page
