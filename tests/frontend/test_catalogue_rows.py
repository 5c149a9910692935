"""The rows of the catalogue and the front page: evidence of cards, and states without any."""

from __future__ import annotations

import re
from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from registry.card.models import Card
from registry.card.summary import CardSummary, summary_of
from registry.catalog.search import results
from registry.models import Environment, User
from tests.factories import make_run, make_version
from tests.frontend import gallery_learnability

pytestmark = pytest.mark.django_db
REWARDS = [[0.0, 1.0, 0.5, 0.5]] * 10


@pytest.fixture
def evaluated(alice: User) -> Card:
    """The card of alice/useful, with a model."""
    gallery_learnability.played(alice, "useful", REWARDS, model="org/tiny", part="format")
    return Card.objects.get()


@pytest.mark.once
def test_a_row_shows_the_evidence_of_the_card(client: Client, evaluated: Card) -> None:
    page = " ".join(client.get("/envs/").content.decode().split())
    summary = CardSummary(**evaluated.summary)
    assert f"<b>{summary.passed}/{summary.measures}</b> checks" in page
    assert summary.unknown > 0, "an unknown measure counts among all, never among those that pass"
    assert "floor <b>0</b>" in page
    assert "oracle <b>1</b>" in page
    assert "org/tiny <b>0.5</b> [" in page
    assert "n=40" in page
    assert 'aria-label="rewards from 0 to 1: 10, 0, 0, 0, 0, 20, 0, 0, 0, 10"' in page
    assert "learnable <b>" in page


@pytest.mark.once
def test_a_row_without_a_model_shows_probes_and_no_score(client: Client, alice: User) -> None:
    gallery_learnability.played(alice, "probed", [[0.0]], model="", part="format")
    Card.objects.update(
        scores=[],
        summary=summary_of([{"code": "floor", "value": 0.0, "status": "pass"}], []).to_dict(),
    )
    page = " ".join(client.get("/envs/").content.decode().split())
    assert "<b>1/1</b> checks" in page
    assert "floor <b>0</b>" in page
    assert "oracle <b>–</b>" in page, "an unknown number is a dash"
    assert 'class="scored"' not in page
    assert "learnable" not in page.split("<main")[1].split("rows")[1]


@pytest.mark.once
def test_hostile_text_of_a_row_is_inert(client: Client, alice: User) -> None:
    name = "<script>x</script>\u202e"
    gallery_learnability.played(alice, "attack", REWARDS, model=name, part=name)
    Environment.objects.update(summary=name)
    page = client.get("/").content.decode()
    assert "<script>x" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;x" in page


@pytest.mark.once
def test_the_front_page_of_an_empty_hub_says_what_to_do(client: Client) -> None:
    cache.clear()
    page = " ".join(client.get("/").content.decode().split())
    assert "No environment is listed yet" in page
    assert "/publish/" in page
    assert "/runner/" in page
    assert "no model evaluated yet" in page
    assert "Most installed" not in page
    assert "under way" not in page


@pytest.mark.once
def test_the_front_page_of_a_hub_that_lists_nothing_yet_counts_the_first_runs(
    client: Client, alice: User
) -> None:
    for name, status in (("a", "queued"), ("b", "running")):
        make_run(make_version(alice, name, status="evaluating"), status=status)
    page = " ".join(client.get("/").content.decode().split())
    assert "<b>2</b> evaluations wait or are under way." in page
    assert 'href="/status/">The status</a>' in page
    assert "alice" not in page


@pytest.mark.once
def test_the_front_page_ranks_what_is_installed_and_learnable(
    client: Client, evaluated: Card
) -> None:
    cache.clear()
    page = client.get("/").content.decode()
    assert "Most learnable for this hub’s model" in page
    assert "Most installed" not in page
    assert "<b>1</b> model evaluated" in " ".join(page.split())
    Environment.objects.update(installs=3)
    assert "Most installed" in client.get("/").content.decode()


@pytest.mark.once
def test_runs_under_way_are_shown_to_those_who_see_their_version(
    client: Client, alice: User
) -> None:
    run = make_run(make_version(alice), status="running", model="org/tiny")
    hidden = make_run(make_version(alice, "draft", status="evaluating"), status="running")
    page = client.get("/").content.decode()
    assert "Being evaluated now" in page
    assert f"/runs/{run.pk}/" in page
    assert str(hidden.pk) not in page
    client.force_login(alice)
    assert str(hidden.pk) in client.get("/").content.decode()


@pytest.mark.once
def test_more_rows_cost_no_more_queries(
    client: Client, alice: User, django_assert_max_num_queries: Any
) -> None:
    for number in range(8):
        gallery_learnability.played(alice, f"env-{number}", [[0.0, 1.0]], model="m", part="p")
        make_run(Environment.objects.get(name=f"env-{number}").latest, status="running")
    Environment.objects.update(installs=1)
    client.get("/")
    with django_assert_max_num_queries(8):
        client.get("/")
    with django_assert_max_num_queries(6):
        client.get("/envs/")


def test_the_migration_summarises_the_cards_that_exist(evaluated: Card) -> None:
    Card.objects.update(summary={})
    migration = import_module("registry.migrations.0020_card_summary")
    migration.summarise(apps, SimpleNamespace(connection=connection))
    after = Card.objects.get()
    assert after.summary == evaluated.summary
    assert after.measures == evaluated.measures


def test_a_card_of_earlier_rules_has_a_summary() -> None:
    assert summary_of([], []) == CardSummary()
    assert summary_of([{"code": "floor"}], [{"model": "m"}]).model == "m"


@pytest.mark.once
def test_filters_say_where_their_values_come_from(client: Client, evaluated: Card) -> None:
    page = " ".join(client.get("/envs/").content.decode().split())
    assert "Learnable <small>from the card</small>" in page
    assert "Turns <small>from recorded rollouts</small>" in page
    assert 'href="?turns=2-5"' in page
    assert "Listed within" in page
    assert "/envs/alice/useful/" in client.get("/envs/?turns=2-5&tasks=").content.decode()
    assert "No environment matches" in client.get("/envs/?turns=6%2B").content.decode()


@pytest.mark.parametrize("few", [results.FEW_FRESH, 0], ids=["few", "many"])
def test_the_time_of_listing_filters(
    few: int, client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "FEW_FRESH", few)
    make_version(alice, "old")
    make_version(alice, "fresh")
    earlier = timezone.now() - timedelta(days=40)
    Environment.objects.filter(name="old").update(fresh_at=earlier)
    pages = {days: client.get(f"/envs/?within={days}").content.decode() for days in (30, 90, 31)}
    assert "/envs/alice/old/" not in pages[30]
    assert "/envs/alice/fresh/" in pages[30]
    assert "listed within 30 days ✕" in " ".join(pages[30].split())
    assert "/envs/alice/old/" in pages[90]
    assert "/envs/alice/old/" in pages[31], "a number of days that is not offered filters nothing"
    rows = client.get("/api/v1/environments/?within=30&q=alice").json()["results"]
    assert [row["name"] for row in rows] == ["fresh"]
    assert client.get("/api/v1/environments/?within=31").status_code == 400


@pytest.mark.once
def test_an_empty_catalogue_offers_nothing_to_filter(client: Client) -> None:
    page = client.get("/envs/").content.decode()
    assert "No environment is listed yet" in page
    assert "Listed within" not in page


@pytest.mark.once
def test_a_row_without_a_listed_version_shows_how_far_its_newest_is(
    client: Client, alice: User, django_assert_max_num_queries: Any
) -> None:
    for name, status in (("a", "evaluating"), ("b", "rejected"), ("c", "held")):
        make_version(alice, name, status="rejected")
        make_version(alice, name, "0.2.0", status=status)
    make_version(alice, "d", yanked_at=timezone.now())
    Environment.objects.filter(name="d").update(latest=None)
    client.force_login(alice)
    client.get("/envs/?mine=1")
    for path in ("/envs/?mine=1&sort=name", "/owners/alice/"):
        with django_assert_max_num_queries(14):
            page = client.get(path).content.decode()
        pills = re.findall(r'class="pill \w+">(\w+)<', page.partition("<main")[2])
        assert pills == ["evaluating", "rejected", "held", "unlisted"], path


@pytest.mark.once
def test_rows_leave_topics_to_the_filters(client: Client, evaluated: Card) -> None:
    evaluated.version.environment.tags.create(name="games")
    page = client.get("/envs/").content.decode()
    rows = page.partition('<ul class="rows')[2].partition("</ul>")[0]
    assert ["games" in rows, ">verifiers v1<" in rows] == [False, True]
    assert 'href="#filters">Filters</a>' in page
    assert 'id="filters"' in page
