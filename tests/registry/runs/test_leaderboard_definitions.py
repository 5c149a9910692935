"""Leaderboards of earlier definitions of a suite, after a change of the rules."""

from dataclasses import replace
from datetime import UTC, datetime

from django.test import Client

from frontend.pages.leaderboard import _definitions
from registry.accounts.models import User
from registry.catalog.models import Version
from registry.read_models.suites import OtherDefinition
from registry.runs import suites
from registry.runs.suite_models import Suite
from tests.registry.runs.measured_models import earlier, evaluated

PAGE = "/envs/alice/demo-env/0.1.0/leaderboard/"
AT = "/api/v1/environments/alice/demo-env/versions/0.1.0/leaderboard/"


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
