"""The models on the pages of an environment, and the probes of a run in one line."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from frontend.templatetags.policies import probe_range
from registry.card.models import Card
from registry.card.summary import CardSummary
from registry.models import Run, User, Version
from registry.runs import suites
from tests.factories import make_rollout, make_run, make_version
from tests.frontend import gallery_learnability
from tests.frontend.people import text

pytestmark = [pytest.mark.django_db, pytest.mark.once]
PAGE = "/envs/alice/probed/"


@pytest.fixture
def version(alice: User) -> Version:
    """A listed version that no model has answered."""
    version = make_version(alice, "probed")
    run = make_run(version, policies=["silent", "oracle"])
    make_rollout(run, "silent", reward=0.25)
    make_rollout(run, "oracle", reward=1.0)
    Card.objects.create(version=version, run=run, summary=CardSummary(passed=1).to_dict())
    return version


def evaluated(version: Version, model: str, reward: float) -> Run:
    """An evaluation that was requested."""
    full = suites.built_in("full")
    run = make_run(version, policies=["model"], model=model, purpose="evaluation", suite=full)
    make_rollout(run, "model", reward=reward)
    return run


def side_of(page: str) -> str:
    """The scores at the side of the page."""
    return page.partition('<aside class="side">')[2].partition("Facts</h2>")[0]


def test_probes_are_one_line_that_unfolds(client: Client, version: Version) -> None:
    side = side_of(text(client, PAGE))
    assert "No model was evaluated." in side
    assert "<summary>2 probes: up to 0.25, oracle 1</summary>" in side
    runs = text(client, f"{PAGE}?tab=evaluations").partition('id="runs"')[2]
    assert "<summary>2 probes: up to 0.25, oracle 1</summary>" in runs


def test_requested_evaluations_are_shown_under_the_title_and_at_the_side(
    client: Client, version: Version
) -> None:
    evaluated(version, "org/tiny", 0.5)
    newest = evaluated(version, "org/other", 0.75)
    evaluated(version, "org/tiny", 0.25)
    Run.objects.filter(pk=newest.pk).update(created_at="2030-01-01T00:00:00Z")
    page = text(client, PAGE)
    strip = page.partition('<p class="verdict small">')[2].partition("</p>")[0]
    assert "org/other, suite full, <b>0.75</b>" in strip
    shown = side_of(page).partition("<details")[0]
    models = re.findall(r'<a href="[^"]*/runs/[^"]+/">([^<]+)</a>', shown)
    assert models == ["org/other", "org/tiny"], "each by its newest result"
    assert "suite full" in side_of(page)


def test_the_score_of_the_card_stays_under_the_title(client: Client, alice: User) -> None:
    gallery_learnability.played(alice, "useful", [[0.0, 1.0]] * 4, model="org/tiny", part="format")
    evaluated(Version.objects.get(), "org/other", 0.75)
    page = text(client, "/envs/alice/useful/")
    strip = page.partition('<p class="verdict small">')[2].partition("</p>")[0]
    assert "org/tiny <b>0.5</b>" in strip
    assert "org/other" not in strip
    assert "org/other" in side_of(page)


def test_many_evaluations_cost_no_more_queries(client: Client, version: Version) -> None:
    evaluated(version, "org/tiny", 0.5)
    with CaptureQueriesContext(connection) as few:
        text(client, PAGE)
    for number in range(5):
        evaluated(version, f"org/{number}", 0.5)
    text(client, PAGE)
    with CaptureQueriesContext(connection) as many:
        text(client, PAGE)
    assert len(many) <= len(few)


def test_a_probe_without_a_result_has_no_number() -> None:
    scores = [{"policy": "silent", "mean": None}]
    assert probe_range(scores) == "1 probe: up to –, oracle –"
