"""The tab of an environment's card: measures, probes and plots, with links to their evidence."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from envyard.card.measures import MEASURES
from envyard.card.prices import Prices
from envyard.card.sources import SOURCES
from envyard.contract.codes import CODES
from envyard.contract.probes import PROBES
from frontend.pages.rollout_filters import of_request
from registry.card import services as cards
from registry.card.models import Card
from registry.models import Rollout, User
from tests.factories import make_run, make_version
from tests.frontend import gallery_learnability
from tests.frontend.people import text

pytestmark = [pytest.mark.once, pytest.mark.django_db]

TAB = "/envs/alice/useful/?tab=card"
REWARDS = [[0.0, 1.0, 0.5, 0.5]] * 10


@pytest.fixture
def card(alice: User) -> Card:
    """The card of alice/useful==0.1.0, with a model."""
    gallery_learnability.played(alice, "useful", REWARDS, model="org/tiny", part="format")
    return Card.objects.get()


def test_each_measure_leads_to_its_explanation_its_rollouts_and_its_code(
    client: Client, card: Card
) -> None:
    page = text(client, TAB)
    for measure in card.measures:
        definition = MEASURES[measure["code"]]
        assert f'<a href="/docs/measures/{measure["code"]}/">{measure["title"]}</a>' in page
        assert (f"card.{measure['code']}" in page) == (f"card.{measure['code']}" in CODES)
        assert definition.rollouts.replace("&", "&amp;") in page
    for address in set(re.findall(r'href="(/(?:runs|docs)/[^"#]+)"', page)):
        assert client.get(unescape(address)).status_code == 200, address


def test_each_number_names_whose_word_it_is(client: Client, card: Card) -> None:
    page = text(client, TAB)
    marks = re.findall(r'<a href="(/docs/card/#[a-z-]+)" title="([^"]+)">(\w+)</a>', page)
    assert {mark for _, _, mark in marks} == {"claimed", "observed"}
    known = sum(row["value"] is not None for row in card.model_results[0]["measures"])
    assert len(marks) == len(card.measures) + known
    assert all(unescape(meaning) == SOURCES[mark].meaning for _, meaning, mark in marks)
    path, _, anchor = marks[0][0].partition("#")
    assert f'id="{anchor}"' in text(client, path)


def test_the_page_shows_the_cost_by_prices_of_the_operator_or_of_the_address(
    client: Client, card: Card, settings: Any
) -> None:
    Rollout.objects.filter(policy="model").update(prompt_tokens=4000, completion_tokens=500)
    cards.compute(run=card.run)
    assert "rollouts cost" not in text(client, TAB)
    page = text(client, f"{TAB}&prices=0.15/0.60")
    assert "rollouts cost <b>0.9</b>: 0.15 a" in page
    assert '<input type="hidden" name="tab" value="card">' in page
    assert "is not PROMPT/COMPLETION" in text(client, f"{TAB}&prices=cheap")
    settings.HUB_TOKEN_PRICES, settings.HUB_PRICE_CURRENCY = {"org/tiny": Prices(1, 2)}, "EUR"
    assert "rollouts cost <b>5 EUR</b>" in text(client, TAB)


def test_the_parameters_of_measures_are_filters_of_the_runs_page(
    client: Client, card: Card
) -> None:
    for definition in MEASURES.values():
        form = of_request(QueryDict(definition.rollouts), card.run).form
        form.fields["policy"].choices = [(name, name) for name in PROBES]
        assert form.is_valid(), (definition.code, form.errors)
        assert set(QueryDict(definition.rollouts)) <= form.fields.keys()


def test_each_probe_is_explained_in_a_line_and_leads_to_its_rollouts(
    client: Client, card: Card
) -> None:
    page = unescape(text(client, TAB))
    for name in ("silent", "oracle"):
        probe = PROBES[name]
        line = f"Replies with {probe.reply}; must earn {probe.required_reward}."
        assert re.sub("`(.*?)`", r"<code>\1</code>", line) in page
        assert f'href="/runs/{card.run_id}/?policy={name}"' in page
    assert "?policy=model" in page


def test_the_tab_has_the_plots_of_the_model_and_none_without_a_card(
    client: Client, alice: User, card: Card
) -> None:
    page = text(client, TAB)
    assert "What org/tiny can learn" in page
    assert page.count("<svg") >= 3
    make_version(alice, "plain")
    assert "has no card yet" in text(client, "/envs/alice/plain/?tab=card")


def test_policies_are_those_of_the_run_of_the_card(client: Client, card: Card) -> None:
    other = make_run(card.version)
    policies = text(client, TAB).partition('id="policies"')[2].partition("</table>")[0]
    assert f"/runs/{card.run_id}/?policy=oracle" in policies
    assert str(other.pk) not in policies
