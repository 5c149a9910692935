"""Leaderboards, comparisons and regression reports, from stored rollouts."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.core.cache import caches
from django.test import Client

from frontend.pages.leaderboard import _definitions
from registry.accounts.models import User
from registry.catalog.models import Version
from registry.errors import Stale
from registry.read_models import compared_sides, leaderboards, paired_runs
from registry.read_models.suites import OtherDefinition
from registry.runs import suites
from registry.runs.models import Rollout, Run
from registry.runs.suite_models import Suite
from registry.self_reported import samples, services
from registry.self_reported.claims import Claims
from registry.self_reported.models import Evaluation
from tests.factories import make_rollout, make_run, make_version

TASKS = 40
PAGE = "/envs/alice/demo-env/0.1.0/leaderboard/"
AT = "/api/v1/environments/alice/demo-env/versions/0.1.0/leaderboard/"


@pytest.fixture
def version(alice: User) -> Version:
    return make_version(alice)


@pytest.fixture
def full(db: None) -> Suite:
    return suites.built_in("full")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def evaluated(
    version: Version, model: str, suite: Suite, *, rate: float, first: int = 0, status: str = ""
) -> Run:
    """A run of the model that solves the first share of the tasks, which begin at `first`."""
    run = make_run(
        version,
        status=status or "succeeded",
        purpose="evaluation",
        suite=suite,
        model=model,
        policies=["model"],
        tasks=TASKS,
        attempts=2,
        facts={
            "tasks": [
                {"index": index, "hash": digest(f"task {first + index}")} for index in range(TASKS)
            ]
        },
    )
    Rollout.objects.bulk_create(
        Rollout(
            run=run,
            policy="model",
            task=index,
            attempt=attempt,
            ok=True,
            reward=float(first + index < rate * TASKS),
        )
        for index in range(TASKS)
        for attempt in range(2)
    )
    return run


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


def probed(version: Version) -> Run:
    """A run that listed the version: 20 of its 60 tasks have the same answer."""
    survey = {"tasks": 60, "answers": 60, "same_answers": 20}
    listing = make_run(version, policies=["oracle", "constant"], facts={"survey": survey})
    for policy, reward in (("oracle", 1.0), ("constant", 0.0)):
        make_rollout(listing, policy, reward=reward, turns=1)
    return listing


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


def pushed(
    version: Version, by: User, suite: Suite, model: str, rewards: list[float], stated: float
) -> Evaluation:
    """A public, completed evaluation with one sample a reward."""
    claims = Claims(
        name=model, model_name=model, metrics={"avg_reward": stated},
        metadata={"suite_digest": suite.digest},
    )  # fmt: skip
    row = services.create(
        environment=version.environment,
        version=version,
        owner=by.owner,
        by=by,
        claims=claims,
        is_public=True,
    )
    batch = [{"example_id": index, "reward": reward} for index, reward in enumerate(rewards)]
    for part in (batch[:2], batch[2:], batch[2:]):  # a repeated batch counts once
        if part:
            samples.add(evaluation=row, samples=part)
    services.end(evaluation=row, status=services.COMPLETED)
    return row


def test_claims_are_apart_and_their_mean_is_that_of_the_samples(
    version: Version, carol: User, full: Suite, client: Client
) -> None:
    evaluated(version, "tiny", full, rate=0.5)
    honest = pushed(version, carol, full, "tiny", [1.0] * 20 + [0.0] * 20, 0.5)
    boast = pushed(version, carol, full, "big", [1.0, 0.0, 0.0, 0.0], 0.99)
    pushed(version, carol, suites.built_in("smoke"), "of-smoke", [1.0, 1.0, 1.0], 1.0)
    board = leaderboards.leaderboard(version, full, claims=version.evaluations.all())
    assert [row.model for row in board.verified] == ["tiny"]
    [reproduced], [reported] = board.reproduced, board.self_reported
    assert (reproduced.model, reproduced.mean, reproduced.disagrees) == ("tiny", 0.5, False)
    assert (reported.model, reported.mean, reported.stated) == ("big", 0.25, 0.99)
    assert (reported.samples, reported.disagrees) == (4, True)
    page = client.get("/envs/alice/demo-env/0.1.0/leaderboard/").content.decode()
    assert page.index("<h2>Verified</h2>") < page.index("<h2>Reproduced</h2>")
    assert "disagrees with the samples" in page
    assert (
        "disagrees" in client.get(f"/envs/alice/demo-env/evaluations/{boast.pk}/").content.decode()
    )
    shown = client.get(f"/envs/alice/demo-env/evaluations/{honest.pk}/").content.decode()
    assert "0.5 over 40, computed by this hub" in " ".join(shown.split())
    assert "disagrees" not in shown


HALF = [1.0] * 20 + [0.0] * 20


@pytest.mark.parametrize(
    ("rewards", "changes", "outcome", "reason"),
    [
        (HALF, {}, "reproduced", "the interval of the difference contains 0"),
        (HALF[1:], {}, "undecided", "of its tasks are others than"),
        (HALF * 2, {}, "undecided", "it has 40 of the 40 tasks that the hub measured, of 80"),
        (HALF[:4], {}, "undecided", "it has 4 of the 40 tasks that the hub measured, of 4"),
        ([1.0] * 40, {}, "contradicted", "the hub measured another mean"),
        (HALF, {"example_id": None}, "undecided", "do not name their tasks"),
        (HALF, {"info": {"task_hash": "0" * 64}}, "undecided", "40 of its tasks are others than"),
        (HALF[::-1], {}, "undecided", "40 tasks are too few: the difference is known to 0."),
    ],
)
def test_a_claim_is_reproduced_by_the_same_tasks_and_a_known_difference(
    version: Version,
    carol: User,
    full: Suite,
    rewards: list[float],
    changes: dict[str, object],
    outcome: str,
    reason: str,
) -> None:
    evaluated(version, "tiny", full, rate=0.5)
    batch = [
        {"example_id": task, "reward": reward, "info": {"task_hash": digest(f"task {task}")}}
        | changes
        for task, reward in enumerate(rewards)
    ]
    if len(rewards) == len(HALF) - 1:
        batch[3]["info"] = {"task_hash": digest("another")}
    row = pushed(version, carol, full, "tiny", [], 0.5)
    samples.add(evaluation=row, samples=batch)
    board = leaderboards.leaderboard(version, full, claims=version.evaluations.all())
    [claim] = [*board.reproduced, *board.self_reported]
    assert (claim.reproduction.outcome, bool(board.reproduced)) == (
        outcome, outcome == "reproduced",
    )  # fmt: skip
    assert reason in claim.reproduction.reason


def test_a_contradicted_claim_is_flagged(
    version: Version, carol: User, full: Suite, client: Client
) -> None:
    run = evaluated(version, "tiny", full, rate=0.1)
    pushed(version, carol, full, "tiny", [1.0] * 40, 1.0)
    [claim] = client.get(AT).json()["self_reported"]
    assert claim["reproduction"]["outcome"] == "contradicted"
    assert claim["reproduction"]["run"] == str(run.pk)
    assert claim["reproduction"]["comparison"]["difference"] == pytest.approx(0.9)
    assert "<b>the hub measured another mean" in client.get(PAGE).content.decode()
    assert "<b>the hub measured another mean" in client.get("/leaderboards/").content.decode()


def test_too_few_tasks_reproduce_nothing_although_means_agree(
    version: Version, carol: User, full: Suite
) -> None:
    run = evaluated(version, "tiny", full, rate=1.0)
    run.rollouts.filter(task__gte=8).delete()
    pushed(version, carol, full, "tiny", [1.0] * 8, 1.0)
    board = leaderboards.leaderboard(version, full, claims=version.evaluations.all())
    [claim] = board.self_reported
    assert claim.reproduction.reason == "8 tasks are too few: the difference is known to 0.45 only"


def test_claims_from_before_results_were_kept_stay_self_reported(
    version: Version, carol: User, full: Suite
) -> None:
    evaluated(version, "tiny", full, rate=0.5)
    row = pushed(version, carol, full, "tiny", HALF, 0.5)
    row.batches.update(results=None)
    board = leaderboards.leaderboard(version, full, claims=version.evaluations.all())
    assert board.self_reported[0].reproduction.outcome == "undecided"


@pytest.mark.parametrize("reward", [None, "1", True, float("1e300"), [1]])
def test_a_sample_without_a_finite_reward_is_left_out(
    version: Version, carol: User, full: Suite, reward: object
) -> None:
    row = pushed(version, carol, full, "tiny", [1.0, 0.0, 0.5], 0.5)
    samples.add(evaluation=row, samples=[{"reward": reward}])
    assert (row.sample_count, row.rewarded, row.sample_mean) == (4, 3, 0.5)


def test_a_task_that_only_weak_models_solve_is_named(version: Version, full: Suite) -> None:
    for place in range(16):
        run = evaluated(version, f"model-{place}", full, rate=place * 0.06 + 0.05)
        if place < 8:
            run.rollouts.filter(task=TASKS - 1).update(reward=1.0)
    board = leaderboards.leaderboard(version, full)
    assert [row.task for row in board.suspect_tasks] == [TASKS - 1]
    assert board.suspect_tasks[0].high < 0


def earlier(suite: Suite) -> Suite:
    """The same suite as a hub with the rules version before had it."""
    before = replace(suite.frozen, rules=suite.frozen.rules - 1)
    return Suite.objects.create(name=suite.name, digest=before.digest, definition=before.to_dict())


def test_results_by_earlier_rules_are_linked_where_the_present_ones_have_none(
    version: Version, full: Suite, client: Client
) -> None:
    """A change of the rules would else make every leaderboard look empty."""
    before = earlier(full)
    evaluated(version, "tiny", before, rate=0.5)
    body = client.get(AT).json()
    assert (body["verified"], body["rules"], body["is_present"]) == ([], full.frozen.rules, True)
    [other] = body["same_name"]
    assert (other["digest"], other["rules"]) == (before.digest, full.frozen.rules - 1)
    assert (other["has_results"], other["is_present"]) == (True, False)
    shown = client.get(PAGE).content.decode()
    link = f"?suite=full&amp;digest={before.digest[:12]}"
    assert link in shown
    assert "but by another one" in shown
    old = client.get(PAGE, {"digest": before.digest[:12]}).content.decode()
    assert ">tiny</a>" in old
    assert "results by an earlier definition" in old
    assert "present definition</a>" in old
    assert client.get(AT, {"digest": before.digest}).json()["verified"][0]["model"] == "tiny"


def test_the_tab_shows_the_newest_result_by_its_own_definition(
    version: Version, full: Suite, client: Client
) -> None:
    evaluated(version, "tiny", earlier(full), rate=0.5)
    tab = "/envs/alice/demo-env/?tab=evaluations"
    shown = client.get(tab).content.decode()
    assert "results by an earlier definition" in shown
    assert (
        f"?tab=evaluations&amp;version=0.1.0&amp;suite=full&amp;digest={full.digest[:12]}" in shown
    )
    evaluated(version, "tiny", full, rate=0.5)
    assert "results by an earlier definition" not in client.get(tab).content.decode()


def test_a_digest_that_no_suite_has_is_refused(
    version: Version, full: Suite, client: Client
) -> None:
    assert client.get(PAGE, {"digest": "abc%"}).status_code == 404
    answer = client.get(AT, {"digest": "0" * 12})
    assert answer.status_code == 400
    assert answer.json()["error"]["details"]["field"] == "digest"


def test_an_owners_suite_of_former_rules_is_no_present_definition(
    version: Version, alice: User
) -> None:
    suite = suites.create(
        environment=version.environment, name="hard", tasks=10, attempts=2, by=alice
    )
    assert suites.is_present(suite)
    before = replace(suite.frozen, rules=suite.frozen.rules - 1)
    suite.definition, suite.digest = before.to_dict(), before.digest
    suite.save()
    assert not suites.is_present(Suite.objects.get(pk=suite.pk))


def test_a_definition_without_results_claims_none_by_the_present_one(
    version: Version, full: Suite, client: Client
) -> None:
    before = earlier(full)
    shown = client.get(PAGE, {"digest": before.digest[:12]}).content.decode()
    assert "present definition</a>" in shown
    assert "but by another one" not in shown
    tab = "/envs/alice/demo-env/?tab=evaluations&suite=full&digest="
    assert client.get(f"{tab}{before.digest[:12]}").status_code == 200
    assert client.get(f"{tab}000000000000").status_code == 404


def test_the_title_of_a_definition_has_its_whole_digest() -> None:
    digest_of_zero = "0" * 64
    created = datetime(2026, 12, 5, tzinfo=UTC)
    row = OtherDefinition("full", digest_of_zero, 3, created, is_present=False, has_results=True)
    (link,) = _definitions([row], suite="full")
    assert link.title == "since 5 December 2026, digest 000000000000"
