"""What people pushed, apart from what the hub measured on a leaderboard."""

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.catalog.models import Version
from registry.read_models import leaderboards
from registry.runs import suites
from registry.runs.suite_models import Suite
from registry.self_reported import samples
from tests.registry.runs.measured_models import digest, evaluated, pushed

PAGE = "/envs/alice/demo-env/0.1.0/leaderboard/"
AT = "/api/v1/environments/alice/demo-env/versions/0.1.0/leaderboard/"


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


OUTLIERS = [1.0] * 38 + [1e4, 2 - 1e4]  # their mean is 1


@pytest.mark.parametrize(
    ("scoring", "rewards", "outcome", "reason"),
    [
        ({}, OUTLIERS, "undecided", "2 of its 40 rewards lie outside 0 to 1"),
        (
            {"reward": [0, 1]},
            OUTLIERS,
            "contradicted",
            "outside 0 to 1, the range that",
        ),
        ({"reward": [0, 1]}, HALF, "reproduced", "contains 0"),
        # The hub's rewards fill a tenth of the declared range: 40 tasks decide nothing.
        ({"reward": [0, 10]}, [1.0] * 40, "undecided", "too few"),
    ],
)
def test_the_bounds_of_rewards_are_what_the_hub_knows_and_not_those_of_the_claim(
    version: Version,
    carol: User,
    full: Suite,
    scoring: dict[str, object],
    rewards: list[float],
    outcome: str,
    reason: str,
) -> None:
    run = evaluated(version, "tiny", full, rate=0.5)
    run.facts |= {"scoring": scoring}
    run.save()
    pushed(version, carol, full, "tiny", rewards, 1.0)
    board = leaderboards.leaderboard(version, full, claims=version.evaluations.all())
    [claim] = [*board.reproduced, *board.self_reported]
    assert claim.reproduction.outcome == outcome
    assert reason in claim.reproduction.reason


@pytest.mark.parametrize("task", [0, None])
def test_a_mean_of_other_samples_than_the_compared_ones_is_not_reproduced(
    version: Version, carol: User, full: Suite, task: int | None
) -> None:
    evaluated(version, "tiny", full, rate=0.5)
    row = pushed(version, carol, full, "tiny", HALF, 0.95)
    more = [{"example_id": task, "reward": 1.0, "attempt": number} for number in range(400)]
    samples.add(evaluation=row, samples=more)
    board = leaderboards.leaderboard(version, full, claims=version.evaluations.all())
    [claim] = board.self_reported
    assert claim.reproduction.reason == (
        "its mean 0.955 over all samples is not that of the tasks that both have"
    )


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
