"""Names that are easily taken for those of another owner's environments."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.catalog.similar import name_findings, similar_environment, slips
from registry.models import Environment, User
from tests.factories import make_version


def alike(alice: User, carol: User, known: str, name: str) -> bool:
    """Is carol's new `name` taken for alice's `known`?"""
    make_version(alice, known)
    return similar_environment(make_version(carol, name, status="checking").environment) is not None


@pytest.mark.parametrize(
    "name",
    [
        "reverse-text",  # the very name
        "reversetext",
        "reverse-te-xt",
        "rever5e-text",  # another letter
        "revrse-text",  # one left out
        "reeverse-text",  # one put in
        "erverse-text",  # swapped at the beginning
        "reverse-texd",
        "reverse-tex",
        "reverse-textt",
        "text-reverse",  # swapped words
    ],
)
def test_one_slip_is_seen(alice: User, carol: User, name: str) -> None:
    assert alike(alice, carol, "reverse-text", name)


@pytest.mark.parametrize(
    ("known", "name"),
    [
        ("reverse-text", "reverse-words"),
        ("reverse-text", "rvrse-text"),  # two slips
        ("aime-2024", "aime-2025"),  # another number is another thing
        ("aime", "aimo"),  # too short to compare
        ("math-hard", "math-easy"),
    ],
)
def test_other_names_are_other_names(alice: User, carol: User, known: str, name: str) -> None:
    assert not alike(alice, carol, known, name)


def test_the_finding_warns_and_names_the_most_installed(alice: User, carol: User) -> None:
    for name, installs in (("reverse-text", 5), ("reverse-test", 70)):
        make_version(alice, name)
        Environment.objects.filter(name=name).update(installs=installs)
    (finding,) = name_findings(make_version(carol, "reverse-text").environment)
    assert (finding.code, finding.severity) == ("name.similar", "warning")
    assert finding.message == "'reverse-text' is easily taken for alice/reverse-test"


def test_older_environment_gets_no_warning_about_a_newer_one(alice: User, carol: User) -> None:
    first = make_version(carol, "reverse-tex").environment
    make_version(alice, "reverse-text")
    assert similar_environment(first) is None


@pytest.mark.parametrize(
    "hidden",
    [{"visibility": "private"}, {"status": "rejected"}, {"yanked_at": "2026-01-01T00:00:00Z"}],
)
def test_warning_never_names_an_unlisted_environment(
    alice: User, carol: User, hidden: dict[str, Any]
) -> None:
    make_version(alice, "reverse-text", **hidden)
    assert name_findings(make_version(carol, "reverse-tex").environment) == []


def test_an_owners_own_environments_do_not_count(alice: User) -> None:
    make_version(alice, "reverse-text")
    assert similar_environment(make_version(alice, "reverse-words").environment) is None


def test_the_longest_name_is_looked_up_in_a_few_queries_by_the_index(carol: User) -> None:
    environment = make_version(carol, "-".join("abcdefghjk" for _ in range(9))).environment
    assert len(slips(environment.name)) < 7_000
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert similar_environment(environment) is None
    assert len(queries) <= 8
    plan = Environment.objects.filter(likeness__in=["a", "b"]).only("pk").explain()
    assert connection.vendor != "sqlite" or "environment_by_likeness" in plan
