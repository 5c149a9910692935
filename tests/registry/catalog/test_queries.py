"""What summaries cost."""

from typing import Any

from registry.catalog.stars import star, unstar
from registry.models import Environment, User
from tests.factories import make_version


def test_stars_are_counted_and_dates_chosen(alice: User, bob: User, carol: User) -> None:
    version = make_version(alice)
    for user in (alice, bob, carol):
        star(environment=version.environment, by=user)
        star(environment=version.environment, by=user)
    make_version(alice, "other", status="rejected")
    other = Environment.objects.get(name="other")
    rows = {e.name: vars(e) for e in Environment.objects.for_summary()}
    assert (rows["demo-env"]["star_count"], rows["other"]["star_count"]) == (3, 0)
    assert rows["demo-env"]["fresh_at"] == version.listed_at
    assert rows["other"]["fresh_at"] == other.created_at
    unstar(environment=version.environment, by=carol)
    unstar(environment=version.environment, by=carol)
    assert version.environment.star_count == 2


def test_any_number_of_summaries_costs_two_queries(
    alice: User, django_assert_num_queries: Any
) -> None:
    for number in range(5):
        make_version(alice, f"env-{number}", keywords=["a", "b"])
    with django_assert_num_queries(2):
        for environment in Environment.objects.for_summary():
            assert environment.latest is not None
            assert environment.owner.name == "alice"
            assert environment.tags.all()
            assert not hasattr(environment.latest, "card")


def test_installable_are_listed_and_yanked_but_not_quarantined_or_deleted(alice: User) -> None:
    at = "2026-01-01T00:00:00Z"
    environment = make_version(alice, version="1.0").environment
    make_version(alice, version="2.0", yanked_at=at)
    make_version(alice, version="3.0", quarantined_at=at)
    make_version(alice, version="4.0", deleted_at=at)
    make_version(alice, version="5.0", status="evaluating")
    assert [v.version for v in environment.versions.installable().newest_first()] == ["2.0", "1.0"]
    assert [v.version for v in environment.versions.current()] == ["1.0"]
