"""What stands under the title of all pages of an environment."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from envyard.contract.frameworks.adapters import ADAPTERS
from frontend.pages.environment_head import TABS, install_lines
from registry.card.models import Card
from registry.catalog import locks
from registry.models import Environment, User, Version
from registry.self_reported.models import Evaluation
from tests.factories import make_run, make_version
from tests.frontend import gallery_learnability
from tests.frontend.people import text

pytestmark = [pytest.mark.once, pytest.mark.django_db]

PAGE = "/envs/alice/useful/"
VERSION = f"{PAGE}0.1.0/"
PLATFORM = "cpython-311-x86_64-linux-gnu-2.36"

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
        *(f"{PAGE}?tab={tab}" for tab in TABS),
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
    pages = {PAGE: 23, f"{PAGE}?tab=versions": 22, VERSION: 22}
    for number in range(1, 9):
        make_run(make_version(alice, "useful", f"0.0.{number}"))
    for page, queries in pages.items():
        with django_assert_max_num_queries(queries):
            text(client, page)


def picker_of(page: str) -> str:
    """The HTML of the list of versions."""
    return page.partition('<details class="picker small">')[2].partition("</details>")[0]


def test_the_list_of_versions_has_what_the_reader_may_see_and_marks_the_rest(
    client: Client, alice: User
) -> None:
    make_version(alice, "useful", "0.1.0", yanked_at="2026-01-01T00:00:00Z")
    make_version(alice, "useful", "0.2.0")
    make_version(alice, "useful", "0.3.0", status="rejected")
    make_version(alice, "useful", "0.4.0", deleted_at="2026-01-01T00:00:00Z", status="listed")
    stranger = picker_of(text(client, PAGE))
    assert "<summary>0.2.0</summary>" in stranger
    assert re.findall(r">(0\.\d\.0)</a>", stranger) == ["0.2.0", "0.1.0"]
    assert '<span class="pill warn">yanked</span>' in stranger
    client.force_login(alice)
    for page in (PAGE, VERSION, f"{VERSION}files/wheel/"):
        own = picker_of(client.get(page).content.decode())
        assert f'href="{own_link(own, "0.3.0")}"' in own
        assert re.findall(r">(0\.\d\.0)</a", own) == ["0.3.0", "0.2.0", "0.1.0"]
        assert '<span class="pill bad">rejected</span>' in own


def own_link(html: str, version: str) -> str:
    """The address of the version's page, which the list must contain."""
    assert f"{PAGE}{version}/" in html
    return next(url for url in re.findall(r'href="([^"]+)"', html) if version in url)


def test_a_long_list_of_versions_ends_with_a_link_to_all(client: Client, alice: User) -> None:
    for number in range(25):
        make_version(alice, "useful", f"0.{number}")
    picker = picker_of(text(client, PAGE))
    assert picker.count("<li>") == 21
    assert f'<a href="{PAGE}?tab=versions">All versions</a>' in picker


def test_the_head_shows_how_to_use_a_listed_version_with_each_tool(
    client: Client, alice: User
) -> None:
    version = make_version(alice, "useful")
    usage = ADAPTERS["verifiers", "v1"].usage("useful")
    lines = install_lines(version)
    for page in (PAGE, VERSION):
        shown = unescape(client.get(page).content.decode())
        assert f"<code>{lines['hub']}</code>" in shown
        for command in (lines["pip"], lines["uv"], usage.loading, usage.evaluating):
            assert shown.count(f"<code>{command}</code>") == 1, command
        assert "Use with uv, pip, Python, verifiers" in shown


@pytest.mark.parametrize(
    "fields", [{"quarantined_at": "2026-01-01T00:00:00Z"}, {"status": "rejected"}]
)
def test_what_cannot_be_installed_shows_no_command(
    client: Client, alice: User, fields: dict[str, Any]
) -> None:
    make_version(alice, "useful", **fields)
    client.force_login(alice)
    for page in (PAGE, VERSION):
        assert '<div class="use">' not in text(client, page)


def test_a_module_that_no_command_can_name_is_in_none(client: Client, alice: User) -> None:
    make_version(alice, "useful", module="a;rm -rf ~")
    make_version(alice, "other", framework="gymnasium", api="v1")
    for page in (PAGE, "/envs/alice/other/"):
        assert "Use with uv, pip</summary>" in text(client, page)
        assert "vf-eval" not in text(client, f"{page}?tab=train")
    assert "rm -rf" not in text(client, f"{PAGE}?tab=train").partition("<aside")[0]


def test_the_train_tab_pins_the_version_and_shows_what_loads_it(
    client: Client, alice: User
) -> None:
    version = make_version(alice, "useful")
    page = text(client, f"{PAGE}?tab=train")
    assert "No lock yet" in page
    assert "hub lock" not in page
    lock = f"demo==1.0 --hash=sha256:{'0' * 64}\n"
    run = make_run(version)
    assert locks.agree(version=version, run_id=run.pk, platform=PLATFORM, offered=lock)
    page = unescape(client.get(f"{PAGE}?tab=train").content.decode())
    assert "<code>hub lock alice/useful==0.1.0 > env.txt</code>" in page
    assert f"/envs/alice/useful/0.1.0/locks/{PLATFORM}.txt" in page
    assert "<dt>1 distribution</dt>" in page
    usage = ADAPTERS["verifiers", "v1"].usage("useful")
    assert page.count(f"<code>{usage.loading}</code>") == 2  # in the head too
    assert "hub eval --local alice/useful==0.1.0 -m MODEL -b http" in page
