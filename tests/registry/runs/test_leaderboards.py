"""Leaderboards, comparisons and regression reports, from stored rollouts."""

import pytest
from django.core.cache import caches
from django.test import Client

from registry.accounts.models import User
from registry.catalog.models import Version
from registry.errors import Stale
from registry.read_models import compared_sides, leaderboards, paired_runs
from registry.runs import suites
from registry.runs.suite_models import Suite
from tests.factories import make_version
from tests.registry.runs.measured_models import TASKS, evaluated, probed

PAGE = "/envs/alice/demo-env/0.1.0/leaderboard/"
AT = "/api/v1/environments/alice/demo-env/versions/0.1.0/leaderboard/"


def test_models_are_ranked_by_their_newest_result_with_ties(version: Version, full: Suite) -> None:
    evaluated(version, "weak", full, rate=0.9)
    evaluated(version, "weak", full, rate=0.05)
    evaluated(version, "strong", full, rate=0.95)
    evaluated(version, "like-strong", full, rate=0.92)
    evaluated(version, "cancelled", full, rate=1.0, status="cancelled")
    evaluated(version, "of-smoke", suites.built_in("smoke"), rate=1.0)
    board = leaderboards.leaderboard(version, full)
    assert [(row.rank, row.model) for row in board.verified] == [
        (1, "strong"), (1, "like-strong"), (3, "weak"),
    ]  # fmt: skip
    assert leaderboards.leaderboard(version, full) == board
    difference = board.verified[2].difference
    assert difference is not None
    assert (difference.tasks, difference.wins, difference.losses) == (40, 0, 36)


def test_a_model_with_rewards_in_few_tasks_has_no_rank_and_the_page_says_why(
    version: Version, full: Suite, client: Client
) -> None:
    strong = evaluated(version, "strong", full, rate=0.9)
    fails = evaluated(version, "fails", full, rate=0.4)
    fails.rollouts.filter(task__gte=10).update(ok=False, reward=None)  # all that it solved is left
    rows = client.get(AT).json()
    assert [(row["model"], row["rank"], row["tasks"]) for row in rows["verified"]] == [
        ("strong", 1, 40), ("fails", None, 10),
    ]  # fmt: skip
    assert (rows["ranked_tasks"], rows["more_models"]) == (40, 0)
    assert rows["verified"][1]["compared_with"] == str(strong.pk)
    page = " ".join(client.get(PAGE).content.decode().split())
    assert "Order and ranks are over the 40 tasks in which every ranked model has a reward" in page
    assert page.index(">strong<") < page.index(">fails<")


def test_more_models_than_are_ranked_are_those_with_lower_means(
    version: Version, full: Suite
) -> None:
    for name, rate in (("a-weak", 0.1), ("b-middle", 0.5), ("c-strong", 0.9)):
        evaluated(version, name, full, rate=rate)
    runs = leaderboards.results(version, full)
    assert [run.model for run in leaderboards.highest(runs, 2)] == ["b-middle", "c-strong"]
    assert leaderboards.highest(runs, 3) == runs


def test_a_leaderboard_of_many_models_has_pages_by_rank(
    version: Version, full: Suite, client: Client
) -> None:
    for place in range(51):
        evaluated(version, f"model-{place:02}", full, rate=place / 50)
    for address in (f"{PAGE}?", "/envs/alice/demo-env/?tab=evaluations&"):
        first, second = (
            client.get(f"{address}suite=full&models={number}").content.decode() for number in (1, 2)
        )
        assert ">model-50<" in first
        assert "models=2" in first
        assert ">model-00</a></td>" in " ".join(second.split()).replace("> <", "><")
        assert "Page 2 of 2" in second
    assert len(client.get(AT).json()["verified"]) == 51


def test_a_new_version_is_compared_on_the_tasks_that_both_have(
    version: Version, alice: User, full: Suite
) -> None:
    old = evaluated(version, "tiny", full, rate=0.5)
    newer = make_version(alice, version="0.2.0")
    new = evaluated(newer, "tiny", full, rate=1.0, first=10)
    evaluated(newer, "only-here", full, rate=1.0)
    report = leaderboards.regression(newer, full)
    assert report.previous == "0.1.0"
    [row] = report.models
    assert (row.of, row.first.run, row.second.run) == ("versions", str(new.pk), str(old.pk))
    assert (row.comparison.tasks, row.comparison.left_out) == (30, 40)
    assert (row.comparison.wins, row.comparison.ties, row.comparison.losses) == (20, 10, 0)


def test_the_first_version_has_nothing_to_be_compared_with(version: Version, full: Suite) -> None:
    report = leaderboards.regression(version, full)
    assert (report.previous, report.models) == (None, [])


def test_runs_that_differ_in_more_than_one_way_are_refused(
    version: Version, alice: User, full: Suite
) -> None:
    newer = make_version(alice, version="0.2.0")
    other = make_version(alice, "other-env")
    run = evaluated(version, "tiny", full, rate=0.5)
    refused = {
        "other suites, full .* and smoke": evaluated(
            version, "big", suites.built_in("smoke"), rate=0.5
        ),
        "differ in version .* and in model": evaluated(newer, "big", full, rate=0.5),
        "share no tasks": evaluated(other, "tiny", full, rate=0.5),
        "has no result of a model": evaluated(version, "big", full, rate=1.0, status="failed"),
    }
    for message, against in refused.items():
        with pytest.raises(Stale, match=message):
            paired_runs.comparison(run, against)


def test_rollouts_that_do_not_count_are_in_no_comparison(version: Version, full: Suite) -> None:
    first = evaluated(version, "tiny", full, rate=0.5)
    second = evaluated(version, "big", full, rate=0.5)
    second.facts |= {"not_counted": {"model/0/0": "the model was away"}}
    second.save()
    comparison = paired_runs.comparison(first, second).comparison
    assert (comparison.pairs, comparison.left_out) == (2 * TASKS - 1, 1)


def test_the_page_and_the_api_show_the_same_ranks(
    version: Version, alice: User, full: Suite, client: Client
) -> None:
    evaluated(version, "weak", full, rate=0.05)
    strong = evaluated(version, "strong", full, rate=0.95)
    newer = make_version(alice, version="0.2.0")
    evaluated(newer, "strong", full, rate=0.5)
    rows = client.get("/api/v1/environments/alice/demo-env/versions/0.1.0/leaderboard/").json()
    assert [row["model"] for row in rows["verified"]] == ["strong", "weak"]
    page = client.get("/envs/alice/demo-env/0.1.0/leaderboard/").content.decode()
    assert page.index(">strong<") < page.index(">weak<")
    assert f"/runs/{strong.pk}/" in page
    page = client.get("/envs/alice/demo-env/0.2.0/leaderboard/").content.decode()
    assert "Against 0.1.0" in page
    assert client.get("/envs/alice/demo-env/0.1.0/leaderboard/?suite=huge").status_code == 404


def test_the_page_of_two_runs_shows_each_task_and_is_linked_from_the_leaderboard(
    version: Version, alice: User, full: Suite, client: Client
) -> None:
    weak, middle, strong = (
        evaluated(version, name, full, rate=rate)
        for name, rate in (("weak", 0.05), ("middle", 0.5), ("strong", 0.55))
    )
    board = leaderboards.leaderboard(version, full)
    assert [(row.model, row.compared_with) for row in board.verified] == [
        ("strong", None), ("middle", str(strong.pk)), ("weak", str(strong.pk)),
    ]  # fmt: skip
    link = f"/runs/{weak.pk}/comparison/{strong.pk}/"
    assert link in client.get(PAGE).content.decode()
    page = " ".join(client.get(link).content.decode().split())
    assert "-0.5 <span" in page
    assert "0 won, 20 tied, 20 lost of 40" in page
    assert "80, of the same task and attempt" in page
    _, tasks = compared_sides.compare_sides(weak, strong)
    assert [row.first_index for row in tasks] == [*range(2, 22), 0, 1, *range(22, 40)]
    assert (tasks[0].first, tasks[0].second, tasks[0].difference, tasks[0].pairs) == (0, 1, -1, 2)
    page = client.get(f"/runs/{middle.pk}/comparison/{strong.pk}/").content.decode()
    assert "a tie, since the interval contains 0" in page
    newer = evaluated(make_version(alice, version="0.2.0"), "strong", full, rate=0.5, first=10)
    link = f"/runs/{newer.pk}/comparison/{strong.pk}/"
    assert "(second: 10)" in client.get(link).content.decode()
    assert link in client.get("/envs/alice/demo-env/0.2.0/leaderboard/").content.decode()


def test_runs_that_do_not_compare_have_a_page_that_names_the_reason(
    version: Version, full: Suite, client: Client
) -> None:
    run = evaluated(version, "tiny", full, rate=0.5)
    other = evaluated(version, "big", suites.built_in("smoke"), rate=0.5)
    answer = client.get(f"/runs/{run.pk}/comparison/{other.pk}/")
    assert answer.status_code == 409
    assert "The runs have other suites" in answer.content.decode()


def test_a_constant_answer_is_shown_next_to_the_means(
    version: Version, full: Suite, client: Client
) -> None:
    run = evaluated(version, "tiny", full, rate=0.5)
    page = client.get(PAGE).content.decode()
    assert "no run with probes" in page
    assert client.get(AT).json()["constant"] is None
    [results] = client.get(f"/api/v1/runs/{run.pk}/").json()["models"]
    measures = {row["code"]: row for row in results["measures"]}
    assert measures["constant_reward"]["value"] is None

    probed(version)
    constant = client.get(AT).json()["constant"]
    assert constant["value"] == pytest.approx(1 / 3)
    assert constant["low"] < constant["value"] < constant["high"]
    page = " ".join(client.get(PAGE).content.decode().split())
    assert "one answer is right in 20 of 60 tasks; other answers earn 0" in page
    across = client.get("/api/v1/leaderboards/").json()["columns"]
    assert [row["constant"] for row in across] == [constant]
    page = " ".join(client.get("/leaderboards/").content.decode().split())
    assert page.index("constant answer") < page.index("0.333")
    caches["local"].clear()  # it keeps results of ended runs for an hour
    [results] = client.get(f"/api/v1/runs/{run.pk}/").json()["models"]
    measures = {row["code"]: row for row in results["measures"]}
    assert measures["constant_reward"] == constant
    page = " ".join(client.get(f"/runs/{run.pk}/").content.decode().split())
    assert "Constant answer" in page


def test_a_task_that_only_weak_models_solve_is_named(version: Version, full: Suite) -> None:
    for place in range(16):
        run = evaluated(version, f"model-{place}", full, rate=place * 0.06 + 0.05)
        if place < 8:
            run.rollouts.filter(task=TASKS - 1).update(reward=1.0)
    board = leaderboards.leaderboard(version, full)
    assert [row.task for row in board.suspect_tasks] == [TASKS - 1]
    assert board.suspect_tasks[0].false_share <= 0.1
