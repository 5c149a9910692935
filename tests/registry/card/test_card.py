"""The stored card, and the laws that all measures keep."""

import json
import random
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from envyard.card.evidence import Evidence
from envyard.card.measures import all_measures
from envyard.card.scores import bounds_over, by_policy, score
from envyard.card.statistics import Bounds
from envyard.card.verdict import findings_of
from envyard.contract.facts import Facts
from envyard.contract.replay import Replay
from envyard.contract.runner_events import RolloutResult, Usage
from registry import pipeline
from registry.accounts.models import User
from registry.card import services
from registry.card.models import Card, SignedCard
from registry.catalog.models import Environment, Version
from registry.catalog.search import documents
from registry.catalog.search.criteria import CatalogSearch
from registry.catalog.search.results import SearchResults
from tests.registry.run_factories import (
    POLICIES,
    honest_rollouts,
    make_facts,
    make_failed_rollout,
    make_leased_run,
    make_rollout,
    make_version,
    record_attempt,
)

WITH_MODEL = (*POLICIES, "model")
BOUNDS = Bounds(-1e9, 1e9)
REWARDS = st.none() | st.floats(-1e9, 1e9)
FAULTS = st.none() | st.fixed_dictionaries(
    {
        "type": st.sampled_from(["ValueError", "RewardNotFinite", ""]),
        "message": st.text(max_size=20),
        "fault": st.sampled_from(["environment", "model", "platform", "nobody"]),
    }
)
ROLLOUTS = st.lists(
    st.builds(
        RolloutResult,
        policy=st.sampled_from(WITH_MODEL),
        task=st.integers(0, 4),
        attempt=st.integers(0, 3),
        ok=st.booleans(),
        reward=REWARDS,
        rewards=st.dictionaries(
            st.text(max_size=3),
            st.fixed_dictionaries({"score": st.floats(-1e9, 1e9), "weight": st.floats(-1e9, 1e9)}),
            max_size=2,
        ),
        seconds=st.floats(0, 1e9),
        usage=st.builds(Usage, model_seconds=st.floats(0, 1e9)),
        error=FAULTS,
        replay=st.none()
        | st.builds(
            Replay, reward=REWARDS, error=st.text(max_size=9), left_out=st.text(max_size=9)
        ),
    ),
    max_size=30,
    unique_by=lambda r: (r.policy, r.task, r.attempt),
)
FACTS = st.sampled_from(
    [
        Facts(),
        make_facts(),
        make_facts(hook=False),
        make_facts(0),
    ]
)
EVIDENCE = st.builds(
    Evidence,
    policies=st.just(WITH_MODEL),
    tasks=st.just(5),
    attempts=st.just(4),
    facts=FACTS,
    rollouts=ROLLOUTS.map(tuple),
)


@pytest.mark.slow
@given(EVIDENCE)
@settings(max_examples=150, deadline=None)
def test_any_evidence_is_measured_into_plain_json_and_twice_alike(evidence: Evidence) -> None:
    first = [measure.to_dict() for measure in all_measures(evidence)]
    json.dumps(first, allow_nan=False)
    assert first == [measure.to_dict() for measure in all_measures(evidence)]
    for finding in findings_of(evidence, WITH_MODEL):
        json.dumps(finding.to_dict(), allow_nan=False)


@pytest.mark.slow
@given(ROLLOUTS, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_scores_do_not_depend_on_the_order_of_arrival(
    rollouts: list[RolloutResult], rng: random.Random
) -> None:
    shuffled = rollouts[:]
    rng.shuffle(shuffled)
    before, after = (
        {result.policy: result for result in by_policy(Evidence((), 0, 0, Facts(), tuple(rows)))}
        for rows in (rollouts, shuffled)
    )
    assert after == before


@pytest.mark.slow
@given(ROLLOUTS)
@settings(max_examples=60, deadline=None)
def test_failed_rollouts_move_no_mean(rollouts: list[RolloutResult]) -> None:
    for policy in WITH_MODEL:
        own = [r for r in rollouts if r.policy == policy]
        kept = score(policy, [r for r in own if r.ok], BOUNDS)
        both = score(policy, own, BOUNDS)
        assert (both.n, both.mean, both.low, both.high) == (
            kept.n, kept.mean, kept.low, kept.high,
        )  # fmt: skip
        assert both.ok + both.failed == len(own)


def test_a_score_counts_rewards_and_failures_apart() -> None:
    own = [
        make_rollout("model", 0, 0, reward=1.0),
        make_rollout("model", 0, 1, reward=0.0),
        make_rollout("model", 1, 0, reward=None),
        make_failed_rollout("model", 1, 1),
    ]
    result = score("model", own, bounds_over([1.0, 0.0], None))
    assert (result.n, result.mean, result.ok, result.failed) == (2, 0.5, 3, 1)
    assert (result.tasks, result.low, result.high) == (1, 0, 1)


def test_the_card_is_recomputed_the_same_from_what_is_stored(alice: User) -> None:
    run = make_leased_run(make_version(alice.owner), policies=WITH_MODEL)
    record_attempt(run, honest_rollouts(WITH_MODEL))
    run.refresh_from_db()
    first = services.compute(run=run)
    second = services.compute(run=run)
    assert first.pk == second.pk
    assert (first.measures, first.scores) == (second.measures, second.scores)
    stored = type(first).objects.get()
    assert stored.measures == first.measures
    assert [s["policy"] for s in stored.scores] == list(WITH_MODEL)


def test_evidence_from_the_database_equals_what_was_reported(alice: User) -> None:
    run = make_leased_run(make_version(alice.owner))
    rollouts = honest_rollouts()
    rollouts[3] = make_failed_rollout("silent", 3)
    record_attempt(run, rollouts)
    run.refresh_from_db()
    evidence = services.evidence_of(run)
    stored = tuple(replace(r, replay=Replay(r.reward, r.rewards)) if r.ok else r for r in rollouts)
    assert evidence == Evidence(POLICIES, run.tasks, run.attempts, make_facts(), stored)


def test_rollouts_that_do_not_count_are_in_no_measure_and_no_score(alice: User) -> None:
    run = make_leased_run(make_version(alice.owner))
    rollouts = [r if r.policy != "silent" else replace(r, reward=1.0) for r in honest_rollouts()]
    excluded = {f"silent/{task}/0": "run.no_model_call" for task in range(5)}
    record_attempt(run, rollouts, known=replace(make_facts(), not_counted=excluded))
    run.refresh_from_db()
    evidence = services.evidence_of(run)
    assert {r.policy for r in evidence.rollouts} == {*POLICIES} - {"silent"}
    assert evidence.planned("silent") == 0
    card = services.compute(run=run)
    measures = {row["code"]: row for row in card.measures}
    assert "silent" not in measures["floor"]["detail"]
    assert measures["completes"]["status"] == "pass"
    assert "5 more do not count" in measures["completes"]["detail"]
    assert "silent" not in {row["policy"] for row in card.scores}


def test_a_model_is_stored_with_the_card_and_sorts_the_catalogue(alice: User) -> None:
    version = make_version(alice.owner)
    run = make_leased_run(version, policies=WITH_MODEL)
    record_attempt(run, honest_rollouts(WITH_MODEL))
    run.refresh_from_db()
    pipeline.judge(str(run.pk))
    [results] = Card.objects.get().model_results
    assert (results["n"], results["tasks"], results["suite"]) == (20, 5, "smoke")
    version.refresh_from_db()
    assert (version.status, version.learnability, version.difficulty) == ("listed", 1.0, "medium")
    assert Environment.objects.get().learnability == 1.0
    hits = SearchResults(CatalogSearch(filters={"difficulty": "medium"}), alice).rows()
    assert [str(row) for row in hits] == ["alice/demo-env"]
    assert not SearchResults(CatalogSearch(filters={"difficulty": "hard"}), alice).rows()


def test_recomputed_cards_get_what_earlier_ones_lack(alice: User) -> None:
    run = make_leased_run(make_version(alice.owner), policies=WITH_MODEL)
    record_attempt(run, honest_rollouts(WITH_MODEL))
    run.refresh_from_db()
    pipeline.judge(str(run.pk))
    before = Card.objects.get()
    Card.objects.update(model_results=[], scores=[], measures=[])
    SignedCard.objects.all().delete()
    Version.objects.update(learnability=None, difficulty="")
    Environment.objects.update(learnability=-1)
    out = StringIO()
    call_command("recompute_cards", stdout=out)
    assert out.getvalue() == "1 cards\n"
    after = Card.objects.get()
    assert (after.model_results, after.scores) == (before.model_results, before.scores)
    assert after.measures == before.measures
    assert Version.objects.get().difficulty == "medium"
    assert Environment.objects.get().learnability == 1.0
    assert not list(documents.differing())
    assert SignedCard.objects.get().run_id == run.pk
