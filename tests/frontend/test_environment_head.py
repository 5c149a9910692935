"""What stands under the title of all pages of an environment."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from registry.card.models import Card
from registry.models import Environment, User, Version
from registry.self_reported.models import Evaluation
from tests.factories import make_run, make_version
from tests.frontend import gallery_learnability
from tests.frontend.people import text

pytestmark = [pytest.mark.once, pytest.mark.django_db]

PAGE = "/envs/alice/useful/"
VERSION = f"{PAGE}0.1.0/"

REWARDS = [[0.0, 1.0, 0.5, 0.5]] * 10


@pytest.fixture
def card(alice: User) -> Card:
    """The card of alice/useful==0.1.0, with a model."""
    gallery_learnability.played(alice, "useful", REWARDS, model="org/tiny", part="format")
    return Card.objects.get()


def strip_of(page: str) -> str:
    """The text of the page's verdict strip; empty without one."""
    return page.partition('<p class="verdict small">')[2].partition("</p>")[0]


def evaluation_of(version: Version, by: User, **fields: Any) -> Evaluation:
    """A public evaluation of the version that its owner pushed."""
    fields |= {"environment": version.environment, "owner": by.owner, "created_by": by}
    return Evaluation.objects.create(name="night", version=version, is_public=True, **fields)


def test_every_page_of_an_environment_shows_the_evidence_under_its_title(
    client: Client, alice: User, card: Card
) -> None:
    client.force_login(alice)
    run, version = card.run_id, card.version
    other = make_run(version, policies=["model"], model="org/other")
    pages = [
        *(f"{PAGE}?tab={tab}" for tab in ("readme", "versions", "runs", "files")),
        *(VERSION, f"{VERSION}leaderboard/", f"/runs/{run}/", f"{PAGE}journal/"),
        f"{PAGE}settings/",
        f"{PAGE}evaluations/{evaluation_of(version, alice).pk}/",
    ]
    for page in [*map(str, pages)]:
        strip = strip_of(text(client, page))
        assert "org/tiny <b>0.5</b>" in strip, page
        assert "floor <b>0</b>" in strip, page
        assert "oracle <b>1</b>" in strip, page
        assert "learnable <b>" in strip, page
    compared = client.get(f"/runs/{run}/comparison/{other.pk}/").content.decode()
    assert "org/tiny" in strip_of(compared)


def test_the_evidence_is_that_of_the_version_on_the_page(
    client: Client, alice: User, card: Card
) -> None:
    make_version(alice, "useful", "0.2.0")
    assert "no card yet</span> <span>0.2.0, listed" in strip_of(text(client, PAGE))
    assert "0.1.0, listed" in (old := strip_of(text(client, VERSION)))
    assert "org/tiny" in old
    assert "org/tiny" in strip_of(text(client, f"/runs/{card.run_id}/"))
    pushed = evaluation_of(card.version, alice)
    assert "org/tiny" in strip_of(text(client, f"{PAGE}evaluations/{pushed.pk}/"))
    Evaluation.objects.update(version=None)
    assert "0.2.0, listed" in strip_of(text(client, f"{PAGE}evaluations/{pushed.pk}/"))


def test_an_evaluation_of_an_unlisted_version_shows_strangers_no_card_of_it(
    client: Client, alice: User, card: Card
) -> None:
    make_version(alice, "useful", "0.0.9")
    pushed = evaluation_of(card.version, alice)
    Version.objects.filter(pk=card.version_id).update(status="held")
    Environment.objects.update(latest=Version.objects.get(version="0.0.9"))
    page = f"{PAGE}evaluations/{pushed.pk}/"
    assert "org/tiny" not in strip_of(text(client, page))
    client.force_login(alice)
    assert "org/tiny" in strip_of(text(client, page))


def test_the_head_costs_no_query_for_each_version_or_run(
    client: Client, alice: User, card: Card, django_assert_max_num_queries: Any
) -> None:
    pages = {PAGE: 22, f"{PAGE}?tab=versions": 21, VERSION: 21}
    for number in range(1, 9):
        make_run(make_version(alice, "useful", f"0.0.{number}"))
    for page, queries in pages.items():
        with django_assert_max_num_queries(queries):
            text(client, page)
