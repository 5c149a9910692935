"""Leaderboards across environments: what is in a mean, what is not, and who sees what."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.errors import HubError
from registry.read_models.leaderboards_across import (
    MAX_MODELS,
    LeaderboardAcross,
    leaderboard_across,
)
from registry.read_models.newest_results import newest_results
from registry.runs import suites
from registry.runs.models import Run
from registry.runs.suite_models import Suite
from tests.factories import make_version
from tests.registry.runs.measured_models import earlier, evaluated, pushed

AT = "/api/v1/leaderboards/"
PAGE = "/leaderboards/"


def board(actor: User, *environments: str, suite: str = "full") -> LeaderboardAcross:
    return leaderboard_across(suite, environments=environments, actor=actor)


def shape(result: LeaderboardAcross) -> list[tuple[int | None, str, list[str]]]:
    return [(row.rank, row.model, row.lacks) for row in result.verified]


def test_sqlite_reads_the_newest_results_of_a_suite_along_their_index(full: Suite) -> None:
    """Not all runs that succeeded, nor by sorting those of the suite."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL plans by the number of rows")
    with CaptureQueriesContext(connection) as captured:
        newest_results([full], AnonymousUser(), None)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {captured[0]['sql']}")
        plan = " ".join(row[-1] for row in cursor.fetchall())
    assert "COVERING INDEX result_by_suite" in plan
    assert "TEMP B-TREE" not in plan


def test_only_models_with_a_result_everywhere_have_a_mean_and_a_rank(
    alice: User, full: Suite
) -> None:
    first, second = make_version(alice, "one"), make_version(alice, "two")
    for version, rates in ((first, (0.9, 0.85, 0.1)), (second, (0.8, 0.8, 0.1))):
        for model, rate in zip(("strong", "like-strong", "weak"), rates, strict=True):
            evaluated(version, model, full, rate=rate)
    evaluated(first, "half", full, rate=1.0)
    result = board(alice)
    assert [column.environment for column in result.columns] == ["alice/one", "alice/two"]
    assert shape(result) == [
        (1, "strong", []), (1, "like-strong", []), (3, "weak", []), (None, "half", ["alice/two"]),
    ]  # fmt: skip
    strong, like, weak, half = result.verified
    assert strong.mean is not None
    assert strong.mean.value == pytest.approx(0.85)
    assert strong.mean.low < 0.85 < strong.mean.high
    assert like.difference is not None
    assert like.difference.contains_zero
    assert weak.difference is not None
    assert weak.difference.high < 0
    assert half.mean is None
    assert (half.cells[0].score or {})["mean"] == 1.0
    assert half.cells[1].score is None
    chosen = board(alice, "alice/one")
    assert shape(chosen)[0] == (1, "half", [])
    assert [row.environment for row in chosen.others] == ["alice/two"]


def test_models_beyond_the_shown_ones_are_counted_and_have_the_lowest_means(
    alice: User, full: Suite, client: Client
) -> None:
    version = make_version(alice)
    for place in range(MAX_MODELS + 2):
        evaluated(version, f"model-{place:02}", full, rate=0.05 + place / 60)
    result = board(alice)
    assert (len(result.verified), result.more_models) == (MAX_MODELS, 2)
    assert {f"model-{place:02}" for place in range(2)}.isdisjoint(
        row.model for row in result.verified
    )
    assert "2 more models with fewer results" in client.get("/leaderboards/").content.decode()


def test_results_on_an_earlier_version_are_named_and_not_counted(alice: User, full: Suite) -> None:
    old = make_version(alice, "one")
    evaluated(old, "tiny", full, rate=0.5)
    evaluated(make_version(alice, "one", "0.2.0"), "big", full, rate=0.5)
    result = board(alice)
    assert [(column.version, column.models) for column in result.columns] == [("0.2.0", 1)]
    assert shape(result) == [(1, "big", [])]
    evaluated(make_version(alice, "two"), "tiny", full, rate=0.5)
    cells = {row.model: row.cells for row in board(alice).verified}
    assert [(cell.run, cell.other_version) for cell in cells["tiny"]][:1] == [("", "0.1.0")]


def test_rewards_within_other_bounds_are_in_no_mean(alice: User, full: Suite) -> None:
    evaluated(make_version(alice, "one"), "tiny", full, rate=0.5)
    run = evaluated(make_version(alice, "two"), "tiny", full, rate=0.5)
    run.rollouts.filter(task=0).update(reward=-0.5)
    result = board(alice)
    one, two = result.columns
    assert (one.in_mean, two.in_mean) == (True, False)
    assert two.left_out == ("its rewards lie between -1 and 1, those in the mean between 0 and 1")
    mean = result.verified[0].mean
    assert mean is not None
    assert (mean.environments, mean.value) == (1, 0.5)
    [alone] = board(alice, "alice/two").verified
    assert alone.rank == 1  # no other unit is beside it


def test_suites_of_one_name_and_other_content_are_apart(
    alice: User, carol: User, full: Suite
) -> None:
    runs: list[Run] = []
    for name, tasks in (("one", 10), ("two", 10), ("three", 20)):
        version = make_version(alice, name)
        hard = suites.create(
            environment=version.environment, name="hard", tasks=tasks, attempts=2, by=alice
        )
        runs.append(evaluated(version, "tiny", hard, rate=0.5))
    newest = board(alice, suite="hard")
    assert [column.environment for column in newest.columns] == ["alice/three"]
    [other] = newest.same_name
    result = leaderboard_across("hard", digest=other.digest[:12], actor=alice)
    assert [column.environment for column in result.columns] == ["alice/one", "alice/two"]
    with pytest.raises(HubError, match="no suite 'harder'"):
        board(alice, suite="harder")
    Run.objects.all()  # a private environment's suite is unknown to others
    for environment in {run.version.environment for run in runs}:
        environment.visibility = "private"
        environment.save()
    with pytest.raises(HubError, match="no suite 'hard'"):
        board(carol, suite="hard")


def test_private_environments_are_shown_to_members_alone(
    alice: User, carol: User, full: Suite
) -> None:
    evaluated(make_version(alice, "one"), "tiny", full, rate=0.5)
    evaluated(make_version(alice, "hidden", visibility="private"), "secret", full, rate=0.5)
    assert len(board(alice).columns) == 2
    assert shape(board(carol)) == [(1, "tiny", [])]


def test_page_and_api_show_the_same_and_an_empty_state(
    alice: User, carol: User, full: Suite, client: Client
) -> None:
    assert "No model has a result by this suite" in client.get(PAGE).content.decode()
    one, two = make_version(alice, "one"), make_version(alice, "two")
    for version in (one, two):
        evaluated(version, "weak", full, rate=0.05)
        evaluated(version, "strong", full, rate=0.95)
    pushed(one, carol, full, "weak", [1.0] * 2 + [0.0] * 38, 0.05)
    pushed(two, carol, full, "unknown", [1.0] * 4, 0.5)
    body = client.get(AT).json()
    assert [(row["rank"], row["model"]) for row in body["verified"]] == [(1, "strong"), (2, "weak")]
    assert body["reproduced"][0]["environment"] == "alice/one"
    assert body["self_reported"][0]["claim"]["disagrees"] is True
    page = client.get(PAGE).content.decode()
    assert "all 2 environments" in " ".join(page.split())
    assert page.index(">strong<") < page.index(">weak<") < page.index("<h2>Reproduced</h2>")
    body = client.get(AT, {"environments": "alice/two"}).json()
    assert [column["environment"] for column in body["columns"]] == ["alice/two"]
    assert "ALICE/TWO" not in client.get(PAGE, {"environments": "ALICE/TWO"}).content.decode()
    assert client.get(AT, {"suite": "huge"}).status_code == 400
    assert client.get(PAGE, {"suite": "huge"}).status_code == 404


def test_more_models_do_not_cost_more_queries(
    alice: User, full: Suite, client: Client, django_assert_max_num_queries: object
) -> None:
    for name in ("one", "two"):
        version = make_version(alice, name)
        for number in range(30):
            evaluated(version, f"model-{number:02}", full, rate=0.5)
    with django_assert_max_num_queries(16):  # type: ignore[operator]
        page = client.get(PAGE).content.decode()
    assert "Page 1 of 2" in page
    assert "page=2" in page
    assert "model-29" in client.get(PAGE, {"page": 2}).content.decode()


def test_results_by_earlier_rules_are_linked_from_the_empty_page(
    alice: User, full: Suite, client: Client
) -> None:
    before = earlier(full)
    evaluated(make_version(alice, "one"), "tiny", before, rate=0.5)
    shown = client.get(PAGE).content.decode()
    assert f"?suite=full&amp;digest={before.digest[:12]}" in shown
    assert "Results by another definition are linked above" in shown
    [other] = client.get(AT).json()["same_name"]
    assert (other["rules"], other["has_results"]) == (full.frozen.rules - 1, True)
    old = client.get(PAGE, {"digest": before.digest[:12]}).content.decode()
    assert "results by an earlier definition" in old
    assert "tiny" in old
