"""What the tab Train shows of trainers."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from envyard.contract.frameworks.adapters import ADAPTERS
from registry.models import User, Version
from tests import chromium
from tests.factories import make_run, make_version
from tests.frontend.people import text

pytestmark = [pytest.mark.once, pytest.mark.django_db]

TAB = "/envs/alice/useful/?tab=train"
SINGLE = {"turns": "1", "tools": "none", "verifier": "program"}
RELEASES = {"v0": "0.3.1", "v1": "0.4.0"}


def played(alice: User, api: str = "v1", *, release: str = "", **facets: str) -> Version:
    """A listed version whose runs showed these facets with that release of verifiers."""
    version = make_version(alice, "useful", api=api, facets=SINGLE | facets)
    make_run(version, facts={"framework_version": release or RELEASES[api]})
    return version


@pytest.mark.parametrize("api", RELEASES)
def test_the_tab_shows_the_tested_program_for_one_turn_without_tools(
    client: Client, alice: User, api: str
) -> None:
    played(alice, api)
    training = ADAPTERS["verifiers", api].usage("useful").training
    assert training is not None
    page = unescape(client.get(TAB).content.decode())
    assert page.count(f"<code>{training.program}</code>") == 1
    assert '"useful"' in training.program
    assert '<code>uv pip install -c env.txt "trl>=1.16"</code>' in page
    assert training.note in page
    assert "prime-rl is not on the package index" in " ".join(page.split())


@pytest.mark.parametrize(
    ("facets", "reason"),
    [
        ({"turns": "2-5"}, "It takes several turns, so a trainer must play the loop of verifiers"),
        ({"tools": "offered"}, "It offers tools, so a trainer must play the loop of verifiers"),
        ({"turns": "6+"}, "prime-rl plays"),
        ({"verifier": "judge"}, "A judge model decides its rewards"),
        ({"release": "0.5.0"}, "and this version runs with 0.5.0."),
        ({"release": "<b>new"}, "and this version runs with &lt;b&gt;new."),
    ],
)
def test_the_tab_says_why_it_shows_no_program(
    client: Client, alice: User, facets: dict[str, Any], reason: str
) -> None:
    played(alice, **facets)
    page = text(client, TAB)
    assert reason in page
    assert "GRPOTrainer" not in page


def test_the_program_of_the_classic_api_needs_its_last_releases(
    client: Client, alice: User
) -> None:
    played(alice, "v0", release="0.1.14")
    page = text(client, TAB)
    assert "beside verifiers&lt;0.3.2,&gt;=0.3, and this version runs with 0.1.14." in page
    assert "GRPOTrainer" not in page


def test_the_tab_shows_no_program_before_a_run_or_for_another_framework(
    client: Client, alice: User
) -> None:
    version = make_version(alice, "useful")
    assert "Its runs do not show yet how many turns" in text(client, TAB)
    Version.objects.filter(pk=version.pk).update(framework="gymnasium")
    assert "No test of the hub trains on environments of this kind." in text(client, TAB)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_lines_of_the_program_are_whole_on_a_phone(live_server: LiveServer, alice: User) -> None:
    version = played(alice)
    training = ADAPTERS["verifiers", "v1"].usage("useful").training
    assert training is not None
    with chromium.running() as browser:
        page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        page.goto(f"{live_server.url}/envs/{version.environment}/?tab=train")
        program = page.get_by_role("region", name="Program that trains")
        program.focus()
        box: dict[str, float] = program.evaluate(
            "box => ({inner: box.scrollWidth, outer: box.clientWidth, height: box.scrollHeight,"
            " line: parseFloat(getComputedStyle(box).lineHeight)})"
        )
        width = page.evaluate("document.documentElement.scrollWidth")
    assert box["inner"] > box["outer"]  # its longest line; the box scrolls
    assert round(box["height"] / box["line"]) <= training.program.count("\n") + 3
    assert width <= 390
