"""Whose word each number of a card is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envyard.card.earlier_form import first_form
from envyard.card.learnability import MODEL_MEASURES
from envyard.card.measures import MEASURES
from envyard.card.sources import SOURCES
from envyard.contract.scoring import Scoring
from registry.read_models.measure_sources import sourced, sourced_results
from tests.registry.card.test_measures import evidence, honest_rollouts


def test_each_measure_has_one_known_source() -> None:
    for entry in (*MEASURES.values(), *MODEL_MEASURES.values()):
        assert entry.source in SOURCES, entry.code
    for measure in (definition.measure(evidence()) for definition in MEASURES.values()):
        assert measure.to_dict()["source"] == MEASURES[measure.code].source


@pytest.mark.parametrize("code", ["reward_range", "floor", "completes", "mutants_caught"])
def test_what_an_environment_reports_is_its_claim(code: str) -> None:
    assert MEASURES[code].source == "claimed"


@pytest.mark.parametrize(
    "code", ["reproducible_tasks", "reproducible_reward", "evaluation_aware", "diversity", "speed"]
)
def test_loads_replays_and_clocks_are_observed(code: str) -> None:
    assert MEASURES[code].source == "observed"


def test_rewards_count_against_a_range_that_the_author_declares() -> None:
    run = evidence(honest_rollouts())
    declared = replace(run, facts=replace(run.facts, scoring=Scoring(reward=(0.0, 1.0))))
    assert MEASURES["reward_range"].measure(declared).source == "declared"
    assert MEASURES["reward_range"].measure(run).source == "claimed"


def test_tokens_are_those_of_the_gateway_and_rewards_those_of_the_environment() -> None:
    assert MODEL_MEASURES["tokens_p50"].source == "observed"
    assert MODEL_MEASURES["seconds_p50"].source == "observed"
    assert MODEL_MEASURES["mean_reward"].source == "claimed"
    assert MODEL_MEASURES["truncated"].source == "claimed"


def test_stored_measures_of_earlier_releases_get_the_source_of_today() -> None:
    old = [{"code": "speed"}, {"code": "floor"}, {"code": "removed"}]
    assert [row["source"] for row in sourced(old)] == ["observed", "claimed", "claimed"]
    assert sourced([{"code": "floor", "source": "declared"}])[0]["source"] == "declared"
    [results] = sourced_results([{"model": "m", "measures": [{"code": "tokens_p50"}]}])
    assert results == {"model": "m", "measures": [{"code": "tokens_p50", "source": "observed"}]}


def test_the_first_form_of_statements_has_no_source_and_one_count_of_tokens() -> None:
    row = {"code": "floor", "value": 0.0}
    tokens = {"unit": "tokens", "n": 20, "source": "observed"}
    prompt = {"code": "prompt_tokens_per_1000", "title": "Prompt", "value": 30.0} | tokens
    reply = {"code": "completion_tokens_per_1000", "title": "Reply", "value": 20.0} | tokens
    models = [{"model": "m", "measures": [prompt, reply, row | {"source": "claimed"}]}]
    results = {"measures": [row | {"source": "claimed"}], "model_results": models, "findings": []}
    both = {"code": "tokens_per_1000", "title": "Tokens of 1,000 rollouts", "value": 50.0}
    assert first_form(results) == {
        "measures": [row],
        "model_results": [{"model": "m", "measures": [both | {"unit": "tokens", "n": 20}, row]}],
        "findings": [],
    }
