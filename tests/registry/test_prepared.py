"""Queries whose SQL is written once."""

import threading
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.db.models import QuerySet
from pytest_django import DjangoAssertNumQueries

from registry import prepared
from registry.accounts.models import Token, User

NAME = "the token's name"


def named() -> QuerySet[Token, Token]:
    return Token.objects.filter(name=NAME).select_related("user__owner").order_by("pk")


def token(user: User, name: str, number: int) -> Token:
    return Token.objects.create(
        user=user, name=name, public_id=f"p{number:05}", digest=f"{number:064x}",
        scope=Token.Scope.PUBLISH, claims={"sub": name}, last_used_at=datetime.now(UTC),
    )  # fmt: skip


@pytest.mark.django_db
def test_each_time_the_rows_of_the_values_then_given_come_as_django_gives_them(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    made = [token(alice, "one", 1), token(bob, "two", 2), token(bob, "one", 3)]
    for name in ("one", "two", "one", "three"):
        wanted = [one for one in made if one.name == name]
        with django_assert_num_queries(1):
            found = prepared.rows(named, {NAME: name})
            assert [one.user.owner.name for one in found] == [one.user.username for one in wanted]
        assert found == wanted
        for one, same in zip(found, wanted, strict=True):
            assert (one.claims, one.last_used_at) == (same.claims, same.last_used_at)


@pytest.mark.django_db(transaction=True)
def test_threads_ask_on_connections_of_their_own(alice: User) -> None:
    made = [token(alice, f"name-{number}", number) for number in range(4)]
    told: dict[str, list[Token]] = {}

    def ask(name: str) -> None:
        try:
            for _ in range(20):
                told[name] = prepared.rows(named, {NAME: name})
                assert [one.name for one in told[name]] == [name]
        finally:
            connection.close()

    threads = [threading.Thread(target=ask, args=(one.name,)) for one in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [told[one.name] for one in made] == [[one] for one in made]
