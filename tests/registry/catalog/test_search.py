"""Search, on whichever database the suite runs."""

import pytest

from registry.catalog.search import search
from registry.models import Environment, User
from tests.factories import make_version


@pytest.fixture
def shelf(alice: User, carol: User) -> None:
    make_version(
        alice,
        "reverse-text",
        summary="Reverse a sentence.",
        keywords=["strings"],
        readme="Longest common subsequence of the words.",
    )
    make_version(
        alice,
        "tic-tac-toe",
        summary="Play noughts and crosses.",
        keywords=["game"],
        readme="A minimax opponent. Reverse moves are not allowed.",
    )
    make_version(
        carol, "sums", summary="Generated word problems.", keywords=["math", "Zahlen-Übung"]
    )


def found(words: str) -> list[str]:
    return [e.name for e in search(Environment.objects.listed().for_summary(), words)]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("tic", ["tic-tac-toe"]),
        ("tic-tac-toe", ["tic-tac-toe"]),
        ("TIC TAC", ["tic-tac-toe"]),
        ("game", ["tic-tac-toe"]),
        ("math", ["sums"]),
        ("minimax", ["tic-tac-toe"]),
        ("noughts crosses", ["tic-tac-toe"]),
        ("carol/sums", ["sums"]),
        ("carol", ["sums"]),
        ("noughts problems", []),
        ("nothing-like-it", []),
        ("übung", ["sums"]),
    ],
)
def test_every_word_must_occur_somewhere(shelf: None, words: str, names: list[str]) -> None:
    assert found(words) == names


def test_a_name_counts_more_than_a_readme(shelf: None) -> None:
    assert found("reverse") == ["reverse-text", "tic-tac-toe"]


@pytest.mark.parametrize(
    "words",
    ["", "  ", "%", "_", "'", '"', "\\", "!!!", "& |", ":*", "(", "a' OR '1'='1", "\0", "<->"],
)
def test_no_character_means_anything_to_the_database(shelf: None, words: str) -> None:
    assert found(words) == []


def test_percent_and_underscore_are_no_wildcards(shelf: None) -> None:
    assert found("t%e") == found("t e")
    assert found("reverse_text") == ["reverse-text"]


def test_a_very_long_query_is_cut_not_refused(shelf: None) -> None:
    assert found("reverse " * 1000) == ["reverse-text", "tic-tac-toe"]


def test_search_stays_within_the_given_environments(shelf: None, alice: User) -> None:
    own = Environment.objects.filter(owner=alice.owner).for_summary()
    assert list(search(own, "sums")) == []


def test_a_huge_readme_can_be_searched(alice: User) -> None:
    make_version(alice, "long", readme="".join(f"word{n} " for n in range(200_000)))
    assert found("word7") == ["long"]
