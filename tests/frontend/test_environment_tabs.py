"""The tabs of an environment: their links on every page below it, Evaluations and Rollouts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from frontend.pages.environment_head import TABS
from registry.card.models import Card
from registry.models import Run, User, Version
from registry.runs import suites
from registry.self_reported import samples
from registry.self_reported.models import Evaluation
from tests.factories import make_rollout, make_run, make_version
from tests.frontend import gallery_learnability
from tests.frontend.people import flat, text

pytestmark = pytest.mark.once
PAGE = "/envs/alice/useful/"


@pytest.fixture
def card(alice: User) -> Card:
    """Of alice/useful==0.1.0, on which org/tiny has earned rewards."""
    rewards = [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    gallery_learnability.played(alice, "useful", rewards, model="org/tiny", part="format")
    return Card.objects.get()


def tabs_of(page: str) -> str:
    """The HTML of the tabs."""
    return page.partition('aria-label="Environment"')[2].partition("</nav>")[0]


def test_every_page_below_an_environment_has_its_tabs(
    client: Client, alice: User, card: Card
) -> None:
    run = Run.objects.get()
    rollout = run.rollouts.first()
    assert rollout is not None
    evaluation = Evaluation.objects.create(
        environment=card.version.environment, owner=alice.owner, created_by=alice, name="night"
    )
    samples.add(evaluation=evaluation, samples=[{"example_id": 0, "reward": 1.0}])
    full = suites.built_in("full")
    waiting = make_run(card.version, status="queued", purpose="evaluation", suite=full)
    client.force_login(alice)
    pages = {
        **{f"{PAGE}?tab={tab}": label for tab, label in TABS.items()},
        f"{PAGE}0.1.0/": "Versions",
        f"{PAGE}compare/": "Versions",
        f"{PAGE}0.1.0/files/wheel/": "Files",
        f"{PAGE}0.1.0/leaderboard/": "Evaluations",
        f"{PAGE}0.1.0/evaluate/": "Evaluations",
        f"{PAGE}evaluations/{evaluation.pk}/": "Evaluations",
        f"{PAGE}evaluations/{evaluation.pk}/samples/": "Evaluations",
        f"{PAGE}evaluations/{evaluation.pk}/samples/1/": "Evaluations",
        f"/runs/{run.pk}/": "Evaluations",
        f"/runs/{waiting.pk}/queue/": "Evaluations",
        f"/runs/{waiting.pk}/cancel/": "Evaluations",
        f"/runs/{run.pk}/rollouts/{rollout.pk}/": "Rollouts",
        f"/runs/{run.pk}/rollouts/{rollout.pk}/difference/": "Rollouts",
        f"{PAGE}report/": "",
        f"{PAGE}journal/": "Journal",
        f"{PAGE}settings/": "Settings",
    }
    for page, current in pages.items():
        tabs = tabs_of(flat(client.get(page)))
        labels = re.findall(r">([A-Za-z]+)</a", tabs)
        assert labels == [*TABS.values(), "Journal", "Settings"], page
        assert re.findall(r'aria-current="page" ?>(\w+)<', tabs) == [current][: bool(current)], page


def test_the_bare_address_opens_the_card_or_the_readme_where_there_is_none(
    client: Client, alice: User, card: Card
) -> None:
    assert "<h2>Measures</h2>" in text(client, PAGE)
    assert "<h2>Measures</h2>" not in text(client, f"{PAGE}?tab=readme")
    make_version(alice, "plain", readme="# Say it", readme_type="text/markdown")
    assert "Say it" in text(client, "/envs/alice/plain/")


def test_the_former_tab_runs_shows_the_evaluations(client: Client, card: Card) -> None:
    assert '<h2 id="runs">Runs</h2>' in text(client, f"{PAGE}?tab=runs")


def test_evaluations_shows_the_models_of_the_chosen_version_and_suite(
    client: Client, alice: User, card: Card
) -> None:
    full = suites.built_in("full")
    newer = make_version(alice, "useful", "0.2.0")
    for version, model in ((card.version, "org/old"), (newer, "org/new")):
        run = make_run(version, policies=["model"], model=model, suite=full)
        make_rollout(run, "model", 0, reward=0.75)
    page = text(client, f"{PAGE}?tab=evaluations")
    board = page.partition("<h2>Verified</h2>")[2].partition('<h2 id="runs">')[0]
    assert "org/new" in board
    assert "org/old" not in board
    assert "<option selected>0.2.0</option>" in page
    page = text(client, f"{PAGE}?tab=evaluations&version=0.1.0&suite=full")
    board = page.partition("<h2>Verified</h2>")[2].partition('<h2 id="runs">')[0]
    assert "org/old" in board
    assert "org/new" not in board
    assert f'href="{PAGE}0.1.0/evaluate/"' in page
    smoke = text(client, f"{PAGE}?tab=evaluations&version=0.1.0&suite=smoke")
    assert "No model has a result by this definition of the suite yet" in smoke
    assert "<option selected>full</option>" in text(client, f"{PAGE}?tab=evaluations&suite=none")


def test_evaluations_opens_with_the_suite_of_the_newest_result(client: Client, card: Card) -> None:
    Run.objects.update(suite=suites.built_in("smoke"))
    page = text(client, f"{PAGE}?tab=evaluations")
    assert "<option selected>smoke</option>" in page
    assert "org/tiny" in page.partition("<h2>Verified</h2>")[2].partition('<h2 id="runs">')[0]


def test_evaluations_offers_no_request_on_a_version_that_is_not_listed(
    client: Client, alice: User
) -> None:
    make_version(alice, "useful", status="held")
    client.force_login(alice)
    assert "Request an evaluation" not in text(client, f"{PAGE}?tab=evaluations")
    make_version(alice, "useful", "0.2.0")
    assert "Request an evaluation" in text(client, f"{PAGE}?tab=evaluations")


def rows_of(page: str) -> list[str]:
    """Policy and task of each listed rollout."""
    table = page.partition('<table class="fold rollouts">')[2].partition("</table>")[0]
    return re.findall(r">([\w/]+ · task \d+)", table)


def test_rollouts_lists_those_of_all_runs_of_a_version_by_task(
    client: Client, alice: User, card: Card
) -> None:
    other = make_run(card.version, policies=["model"], model="org/other", done=1)
    make_rollout(other, "model", 1, reward=0.5)
    page = text(client, f"{PAGE}?tab=rollouts")
    assert rows_of(page).count("org/tiny · task 1") == 2
    assert "org/other · task 1" in rows_of(page)
    assert page.index("Task 0") < page.index("Task 1") < page.index("Task 2")
    assert f'href="/runs/{other.pk}/"' in page
    assert "in 2 runs" in page


def test_rollouts_are_filtered_and_lead_to_their_neighbours_in_the_run(
    client: Client, card: Card
) -> None:
    page = text(client, f"{PAGE}?tab=rollouts&policy=model&min_reward=1")
    assert rows_of(page) == ["org/tiny · task 0", "org/tiny · task 1", "org/tiny · task 1"]
    assert "3 rollouts of 12" in page
    assert re.search(r'/rollouts/\d+/\?policy=model&amp;min_reward=1.0"', page)
    assert '<input type="hidden" name="tab" value="rollouts">' in page
    assert '<a href="?tab=rollouts&amp;version=0.1.0#rollouts">Show all</a>' in page
    assert rows_of(text(client, f"{PAGE}?tab=rollouts&policy=none")) != []


def test_rollouts_shows_the_latest_evaluated_version_and_the_chosen_one(
    client: Client, alice: User, card: Card
) -> None:
    make_version(alice, "useful", "0.3.0")  # no run yet
    newer = make_run(make_version(alice, "useful", "0.2.0"), policies=["silent"])
    make_rollout(newer, "silent", 7, reward=0.0)
    assert rows_of(text(client, f"{PAGE}?tab=rollouts")) == ["silent · task 7"]
    old = text(client, f"{PAGE}?tab=rollouts&version=0.1.0")
    assert "silent · task 7" not in rows_of(old)
    assert len(rows_of(old)) == 12
    assert "silent · task 7" in rows_of(text(client, f"{PAGE}?tab=rollouts&version=9.9"))


def test_a_task_that_differs_between_the_runs_is_shown_without_a_prompt(
    client: Client, alice: User
) -> None:
    version = make_version(alice, "useful")
    for digest, prompt in (("a", "Sort pears"), ("b", "Sort apples")):
        tasks = [
            {"index": 0, "hash": digest, "prompt": prompt},
            {"index": 1, "hash": "same", "prompt": "Sort figs"},
        ]
        run = make_run(version, policies=["silent"], facts={"tasks": tasks})
        make_rollout(run, "silent", 0, reward=0.0)
        make_rollout(run, "silent", 1, reward=0.0)
    page = text(client, f"{PAGE}?tab=rollouts")
    assert "Sort figs" in page
    assert "Sort pears" not in page
    assert "Sort apples" not in page


def test_rollouts_of_a_quarantined_version_are_hidden_from_strangers(
    client: Client, alice: User, card: Card
) -> None:
    Version.objects.update(quarantined_at="2026-01-01T00:00:00Z")
    assert rows_of(text(client, f"{PAGE}?tab=rollouts")) == []
    client.force_login(alice)
    assert len(rows_of(text(client, f"{PAGE}?tab=rollouts"))) == 12


def test_an_environment_without_a_rollout_says_so(client: Client, alice: User) -> None:
    make_version(alice, "useful")
    assert "No rollout yet" in text(client, f"{PAGE}?tab=rollouts")
    assert "No run yet" in text(client, f"{PAGE}?tab=evaluations")


def test_tabs_cost_no_query_for_each_version_run_or_rollout(
    client: Client, alice: User, card: Card, django_assert_max_num_queries: Any
) -> None:
    pages = {f"{PAGE}?tab=evaluations": 46, f"{PAGE}?tab=rollouts": 28}
    for number in range(1, 9):
        run = make_run(make_version(alice, "useful", f"0.0.{number}"))
        make_rollout(run)
        make_rollout(make_run(card.version))
    for page, queries in pages.items():
        with django_assert_max_num_queries(queries):
            text(client, page)


def test_a_version_whose_uploader_closed_the_account_names_nobody(
    client: Client, alice: User
) -> None:
    version = make_version(alice, status="listed")
    version.uploaded_by = None
    version.save()
    for path in (
        f"/envs/{version.environment}/",
        f"/envs/{version.environment}/{version.version}/",
    ):
        assert "by None" not in text(client, path)


def test_the_newest_runs_of_many_versions_are_read_in_the_order_of_an_index(
    client: Client, alice: User
) -> None:
    version = make_version(alice, status="listed")
    make_run(version, status=Run.Status.SUCCEEDED)
    with CaptureQueriesContext(connection) as captured:
        text(client, f"/envs/{version.environment}/?tab=evaluations")
    (listing,) = (
        row["sql"] for row in captured if 'ORDER BY "registry_run"."created_at" DESC,' in row["sql"]
    )
    assert "facts" not in listing
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {listing}")
            plan = " ".join(row[-1] for row in cursor.fetchall())
        assert "run_by_env (environment_id=?)" in plan
        assert "TEMP B-TREE" not in plan
