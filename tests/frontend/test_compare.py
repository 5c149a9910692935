"""The page that compares runs, pushed evaluations and versions; the viewer of pushed samples."""

from __future__ import annotations

import html
import re
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils.html import strip_tags

from envyard.contract.transcript import Exchange, Node, Transcript
from registry.errors import Stale
from registry.models import Rollout, User, Version
from registry.read_models.compared_sides import compare_sides
from registry.runs import suites
from registry.runs.suite_models import Suite
from registry.self_reported import samples, services
from registry.self_reported.models import Evaluation
from tests.factories import make_rollout, make_version
from tests.frontend.people import text
from tests.registry.runs.measured_models import TASKS, digest, evaluated, pushed

EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\u202e"


@pytest.fixture
def version(alice: User) -> Version:
    return make_version(alice)


@pytest.fixture
def full(db: None) -> Suite:
    return suites.built_in("full")


def words(client: Client, url: str, status: int = 200) -> str:
    """The text of the page."""
    return " ".join(html.unescape(strip_tags(text(client, url, status))).split())


def test_two_runs_show_histograms_and_both_rollouts_of_each_task(
    client: Client, version: Version, full: Suite
) -> None:
    weak = evaluated(version, "weak", full, rate=0.05)
    strong = evaluated(version, "strong", full, rate=0.55)
    path = f"/compare/?first={strong.pk}&second={weak.pk}"
    page = text(client, path)
    assert "20 won, 20 tied, 0 lost of 40" in page
    assert "80, of the same task and attempt" in page
    assert 'aria-label="rewards of first: ' in page
    for run in (weak, strong):
        for rollout in Rollout.objects.filter(run=run, task=2):
            assert f'href="/runs/{run.pk}/rollouts/{rollout.pk}/"' in page
    assert words(client, f"/runs/{strong.pk}/comparison/{weak.pk}/") == words(client, path)


def test_a_pushed_evaluation_is_compared_with_a_run_and_marked(
    client: Client, version: Version, carol: User, full: Suite
) -> None:
    run = evaluated(version, "tiny", full, rate=0.5)
    claim = pushed(version, carol, full, "tiny", [1.0] * TASKS, 1.0)
    page = words(client, f"/compare/?first={claim.pk}&second={run.pk}")
    assert "pushed, self-reported" in page
    assert "tiny: Reported by the uploader, not measured by this hub." in page
    assert "paired by their index alone" in page
    assert "20 won, 20 tied, 0 lost of 40" in page
    assert "of the same task, over the means of its attempts" in page
    assert f"evaluations/{claim.pk}/samples/?task=20" in text(
        client, f"/compare/?first={claim.pk}&second={run.pk}"
    )
    turned = words(client, f"/compare/?first={run.pk}&second={claim.pk}")
    assert "0 won, 20 tied, 20 lost of 40" in turned


@pytest.mark.parametrize("declared", [None, [0, 1]])
def test_rewards_outside_what_the_hub_knows_are_noted_beside_the_comparison(
    client: Client, version: Version, carol: User, full: Suite, declared: list[int] | None
) -> None:
    run = evaluated(version, "tiny", full, rate=0.5)
    run.facts |= {"scoring": {"reward": declared}}
    run.save()
    outliers = pushed(version, carol, full, "tiny", [1.0] * (TASKS - 1) + [1e4], 1.0)
    page = words(client, f"/compare/?first={outliers.pk}&second={run.pk}")
    note = f"tiny: 1 of its {TASKS} rewards lie outside 0 to 1, between which the hub knows rewards"
    assert note in page
    usual = pushed(version, carol, full, "tiny", [1.0] * TASKS, 1.0)
    assert "lie outside" not in words(client, f"/compare/?first={run.pk}&second={usual.pk}")


def test_two_pushed_evaluations_are_compared_by_task(
    client: Client, version: Version, carol: User, full: Suite
) -> None:
    one = pushed(version, carol, full, "tiny", [1.0] * TASKS, 1.0)
    two = pushed(version, carol, full, "big", [0.0] * 10, 0.0)
    page = words(client, f"/compare/?first={one.pk}&second={two.pk}")
    assert "10 won, 0 tied, 0 lost of 10" in page
    assert "Only 10 of 40 tasks are in both" in page


def test_hashes_of_tasks_pair_pushed_evaluations_of_two_versions(
    version: Version, alice: User, carol: User, full: Suite
) -> None:
    run = evaluated(make_version(alice, version="0.2.0"), "tiny", full, rate=1.0, first=10)
    claim = pushed(version, carol, full, "tiny", [], 1.0)
    with pytest.raises(Stale, match="0 rewards"):
        compare_sides(claim, run)
    hashed = [
        {"example_id": task, "reward": 1.0, "info": {"task_hash": digest(f"task {task}")}}
        for task in range(TASKS)
    ]
    samples.add(evaluation=claim, samples=hashed)
    claim = Evaluation.objects.get(pk=claim.pk)
    result, tasks = compare_sides(claim, run)
    assert (result.of, result.comparison.tasks, result.comparison.losses) == ("versions", 30, 0)
    assert {row.first_index - row.second_index for row in tasks} == {10}
    plain = pushed(version, carol, full, "tiny", [1.0] * TASKS, 1.0)
    with pytest.raises(Stale, match="do not name the hashes of their tasks"):
        compare_sides(plain, run)


def test_pairs_that_do_not_compare_are_refused_with_what_differs(
    client: Client, version: Version, alice: User, carol: User, full: Suite
) -> None:
    run = evaluated(version, "tiny", full, rate=0.5)
    smoke = suites.built_in("smoke")
    other = pushed(version, carol, smoke, "tiny", [1.0] * TASKS, 1.0)
    elsewhere = pushed(make_version(alice, "other-env"), carol, full, "tiny", [1.0] * TASKS, 1.0)
    both = pushed(make_version(alice, version="0.2.0"), carol, full, "big", [1.0] * TASKS, 1.0)
    tasks = pushed(version, carol, full, "tiny", [], 1.0)
    wrong = {"example_id": 3, "reward": 1.0, "info": {"task_hash": "0" * 64}}
    samples.add(evaluation=tasks, samples=[wrong])
    for claim, reason in {
        other: "The sides have other suites",
        elsewhere: "share no tasks",
        both: "differ in version",
        tasks: "1 tasks with the same index are others",
    }.items():
        for first, second in ((run, claim), (claim, run)):
            assert reason in words(client, f"/compare/?first={first.pk}&second={second.pk}", 409)
    unnamed = pushed(version, carol, full, "tiny", [1.0] * TASKS, 1.0)
    Evaluation.objects.filter(pk=unnamed.pk).update(metadata={})
    page = words(client, f"/compare/?first={unnamed.pk}&second={run.pk}")
    assert "tiny names no suite: its sampling, limits and judge may be others" in page


def test_a_version_stands_for_its_newest_run_of_the_other_sides_model_and_suite(
    client: Client, version: Version, alice: User, full: Suite
) -> None:
    newer = make_version(alice, version="0.2.0")
    evaluated(newer, "tiny", full, rate=0.1)
    newest = evaluated(newer, "tiny", full, rate=1.0)
    evaluated(newer, "big", full, rate=0.5)
    evaluated(newer, "tiny", suites.built_in("smoke"), rate=0.5)
    run = evaluated(version, "tiny", full, rate=0.5)
    for query in (f"first=alice/demo-env==0.2.0&second={run.pk}",
                  f"second=alice/demo-env==0.2.0&first={run.pk}"):  # fmt: skip
        page = text(client, f"/compare/?{query}")
        assert f"/runs/{newest.pk}/" in page
        assert f"/runs/{run.pk}/" in page
        answer = client.get(f"/api/v1/compare/?{query}").json()
        assert {answer["first"]["id"], answer["second"]["id"]} == {str(run.pk), str(newest.pk)}
        assert answer["of"] == "versions"
    text(client, f"/compare/?first={run.pk}&second=alice/demo-env==0.3.0", 404)
    other = make_version(alice, "empty-env")
    page = words(client, f"/compare/?first={run.pk}&second={other}", 404)
    assert "Alice/empty-env==0.1.0 has no run of tiny by the suite of the other side" in page


def test_the_picker_offers_what_compares_and_one_may_see(
    client: Client, version: Version, alice: User, carol: User, full: Suite
) -> None:
    run = evaluated(version, "tiny", full, rate=0.5)
    big = evaluated(version, "big", full, rate=0.5)
    newer = evaluated(make_version(alice, version="0.2.0"), "tiny", full, rate=0.5)
    held = evaluated(make_version(alice, version="0.3.0", status="held"), "tiny", full, rate=0.5)
    claim = pushed(version, carol, full, "tiny", [1.0], 1.0)
    hidden = pushed(version, carol, full, "tiny", [1.0], 1.0)
    Evaluation.objects.filter(pk=hidden.pk).update(is_public=False)
    no = [evaluated(version, "tiny", suites.built_in("smoke"), rate=0.5), held, hidden]
    page = text(client, f"/compare/?first={run.pk}")
    for row in (big, newer, claim):
        assert f'<option value="{row.pk}">' in page
    for row in no:
        assert str(row.pk) not in page
    assert "0.5 n=80" in words(client, f"/compare/?first={run.pk}")
    assert "1 n=1" in words(client, f"/compare/?first={claim.pk}")
    client.force_login(alice)
    assert str(held.pk) in text(client, f"/compare/?first={run.pk}")
    assert "Compare any two" in words(client, "/compare/")


def test_what_one_may_not_see_is_not_compared(
    client: Client, alice: User, carol: User, full: Suite
) -> None:
    version = make_version(alice, visibility="private")
    run = evaluated(version, "tiny", full, rate=0.5)
    claim = pushed(version, alice, full, "tiny", [1.0] * TASKS, 1.0)
    client.force_login(carol)
    for first in (
        run.pk,
        claim.pk,
        "alice/demo-env==0.1.0",
        UUID(int=4),
    ):
        assert client.get(f"/compare/?first={first}").status_code == 404
        answer = client.get(f"/api/v1/compare/?first={first}&second={first}")
        assert answer.status_code == 404
    assert client.get("/compare/?first=no+such+thing").status_code == 400
    client.force_login(alice)
    text(client, f"/compare/?first={run.pk}&second={claim.pk}")


def test_runs_leaderboards_and_environments_lead_to_comparison_and_request(
    client: Client, version: Version, full: Suite
) -> None:
    run = evaluated(version, "tiny", full, rate=0.5)
    base = "/envs/alice/demo-env/"
    compare, evaluate = f"/compare/?first={run.pk}", f"{base}0.1.0/evaluate/"
    assert f'href="{compare}"' in text(client, f"/runs/{run.pk}/")
    board = text(client, f"{base}0.1.0/leaderboard/")
    assert f'href="{compare}"' in board
    assert f'href="{evaluate}"' in board
    assert f'href="{evaluate}"' in text(client, f"{base}?tab=evaluations")
    assert client.get(evaluate).headers["Location"] == f"/login/?next={evaluate}"


def test_both_rollouts_of_a_task_are_shown_side_by_side(
    client: Client, version: Version, alice: User, full: Suite
) -> None:
    one = evaluated(version, "tiny", full, rate=0.5)
    newer = make_version(alice, version="0.2.0")
    two = evaluated(newer, "tiny", full, rate=0.5, first=10)
    Rollout.objects.filter(task__in=(0, 10), attempt=1).delete()
    for run, task, words in ((one, 10, "fig\nthe end"), (two, 0, f"fog\n{EVIL}\nthe end")):
        nodes = [Node(-1, {"role": "user", "content": "Sort."}),
                 Node(0, {"role": "assistant", "content": words})]  # fmt: skip
        transcript = Transcript(nodes, [Exchange(asked=0, reply=1)])
        make_rollout(run, "model", task, attempt=1, transcript=transcript, reward=0.5)
    path = f"/runs/{one.pk}/comparison/{two.pk}/tasks/10/"
    assert f'href="{path}"' in text(client, f"/compare/?first={one.pk}&second={two.pk}")
    assert "Neither rollout has a stored transcript." in text(client, path)
    page = text(client, f"{path}?attempt=1")
    assert "f<mark>i</mark>g" in page
    assert "f<mark>o</mark>g" in page
    assert "<script>alert" not in page
    assert "\u202e" not in page
    for missing in ("tasks/3/", "tasks/99/", "tasks/10/?attempt=7", "tasks/10/?attempt=x"):
        text(client, f"/runs/{one.pk}/comparison/{two.pk}/{missing}", 404)
    other = evaluated(version, "tiny", suites.built_in("smoke"), rate=0.5)
    refused = client.get(f"/runs/{one.pk}/comparison/{other.pk}/tasks/10/")
    assert refused.headers["Location"] == f"/runs/{one.pk}/comparison/{other.pk}/"


def test_comparisons_of_many_tasks_cost_no_more_queries(
    client: Client, version: Version, full: Suite, django_assert_max_num_queries: Any
) -> None:
    one, two = (evaluated(version, name, full, rate=0.5) for name in ("a", "b"))
    with django_assert_max_num_queries(18):
        text(client, f"/compare/?first={one.pk}&second={two.pk}")


@pytest.fixture
def claim(version: Version, carol: User, full: Suite) -> Evaluation:
    """One with samples of every shape."""
    row = pushed(version, carol, full, "tiny", [], 0.5)
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": EVIL}}
    rich = {
        "example_id": 7,
        "rollout_number": 1,
        "prompt": [{"role": "system", "content": "Sort."}, {"role": "user", "content": EVIL}],
        "completion": [
            {"role": "assistant", "content": "", "tool_calls": [call], "reasoning": "Hm " + EVIL},
            {"role": EVIL, "content": [{"type": "text", "text": "found it"}]},
            {"role": "assistant", "content": "pear"},
        ],
        "reward": 0.25,
        "metrics": {EVIL: 0.5, "n": "no number"},
        "stop_condition": EVIL,
        "info": {"task_hash": "ab" * 32},
    }
    odd = [
        {"prompt": "What?", "completion": "That.", "example_id": 8, "reward": 1},
        {"prompt": 7, "completion": [1, None, {"tool_calls": ['{"name": "f"}', "x", 5]}]},
        {"error": {"message": EVIL}, "example_id": 7, "reward": None, "answer": EVIL},
    ]
    samples.add(evaluation=row, samples=[rich, *odd])
    return row


def test_pushed_samples_are_read_as_transcripts(client: Client, claim: Evaluation) -> None:
    base = f"/envs/alice/demo-env/evaluations/{claim.pk}/"
    assert "pear" in words(client, base)
    first = text(client, f"{base}samples/1/")
    assert first.count('<section class="turn') == 5
    for shown in ('class="turn other"', "found it", "look(", "Reasoning: ", "<b>0.25</b>"):
        assert shown in first
    assert f'rel="next" href="{base}samples/2/"' in first
    second = words(client, f"{base}samples/2/")
    assert "What?" in second
    assert "That." in second
    assert "f()" in words(client, f"{base}samples/3/")
    for number in (0, 5, 99999):
        text(client, f"{base}samples/{number}/", 404)


def test_numbers_of_pushed_evaluations_are_rounded(client: Client, claim: Evaluation) -> None:
    Evaluation.objects.filter(pk=claim.pk).update(metrics={"reward": 0.9542153113258186})
    timed = {"reward": 1.0, "timing": {"total": 0.1399239590000434}, "is_completed": True}
    samples.add(evaluation=claim, samples=[timed])
    base = f"/envs/alice/demo-env/evaluations/{claim.pk}/"
    for page in (base, "/envs/alice/demo-env/?tab=evaluations"):
        assert re.search(r"reward ?0\.954\D", words(client, page))
    facts = text(client, f"{base}samples/5/").partition('aria-label="Facts"')[2]
    assert re.findall(r"<dd>([^<]*)</dd>", facts)[:2] == ["yes", "0.14"]


def test_samples_of_a_task_are_found(client: Client, claim: Evaluation) -> None:
    samples.add(evaluation=claim, samples=[{"example_id": 7, "reward": 1.0, "prompt": "again"}])
    base = f"/envs/alice/demo-env/evaluations/{claim.pk}/samples/"
    page = text(client, f"{base}?task=7")
    assert [f"{base}{n}/" in page for n in range(1, 6)] == [True, False, False, True, True]
    assert "No such sample was pushed." in text(client, f"{base}?task=99")
    assert "Sample 5" in words(client, f"{base}?start=5")
    assert "5 samples" in words(client, f"{base}?start=nonsense")


def test_samples_are_listed_a_page_at_a_time(
    client: Client, version: Version, carol: User, full: Suite, django_assert_max_num_queries: Any
) -> None:
    row = pushed(version, carol, full, "tiny", [1.0] * 120, 1.0)
    base = f"/envs/alice/demo-env/evaluations/{row.pk}/samples/"
    with django_assert_max_num_queries(8):
        page = text(client, base)
    assert 'href="?start=51"' in page
    assert "Sample 51" not in words(client, base)
    assert "?start=" not in text(client, f"{base}?start=101").split("<footer")[0]
    with django_assert_max_num_queries(8):
        text(client, f"{base}60/")


def test_hostile_samples_are_only_text(client: Client, claim: Evaluation) -> None:
    Evaluation.objects.filter(pk=claim.pk).update(name=EVIL, model_name=EVIL)
    base = f"/envs/alice/demo-env/evaluations/{claim.pk}/"
    paths = [base, f"{base}samples/", *(f"{base}samples/{n}/" for n in range(1, 5))]
    for path in [*paths, f"/compare/?first={claim.pk}"]:
        page = client.get(path).content.decode()
        assert "<script>alert" not in page, path
        assert "<img src=x" not in page, path
        assert "\u202e" not in page, path


def test_private_samples_are_for_their_owner(
    client: Client, claim: Evaluation, alice: User, carol: User
) -> None:
    Evaluation.objects.filter(pk=claim.pk).update(is_public=False)
    path = f"/envs/alice/demo-env/evaluations/{claim.pk}/samples/1/"
    client.force_login(alice)
    text(client, path, 404)
    client.force_login(carol)
    text(client, path)
    services.delete(evaluation=claim, by=carol)
    text(client, path, 404)
