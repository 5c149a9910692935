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
    tokens_made = [token(alice, "one", 1), token(bob, "two", 2), token(bob, "one", 3)]
    for name in ("one", "two", "one", "three"):
        wanted = [token_row for token_row in tokens_made if token_row.name == name]
        with django_assert_num_queries(1):
            rows = prepared.rows(named, {NAME: name})
            assert [token_row.user.owner.name for token_row in rows] == [
                token_row.user.username for token_row in wanted
            ]
        assert rows == wanted
        for token_row, same in zip(rows, wanted, strict=True):
            assert (token_row.claims, token_row.last_used_at) == (same.claims, same.last_used_at)


@pytest.mark.django_db(transaction=True)
def test_threads_ask_on_connections_of_their_own(alice: User) -> None:
    tokens_made = [token(alice, f"name-{number}", number) for number in range(4)]
    rows_by_name: dict[str, list[Token]] = {}

    def ask(name: str) -> None:
        try:
            for _ in range(20):
                rows_by_name[name] = prepared.rows(named, {NAME: name})
                assert [token_row.name for token_row in rows_by_name[name]] == [name]
        finally:
            connection.close()

    threads = [threading.Thread(target=ask, args=(token_row.name,)) for token_row in tokens_made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [rows_by_name[token_row.name] for token_row in tokens_made] == [
        [token_row] for token_row in tokens_made
    ]
