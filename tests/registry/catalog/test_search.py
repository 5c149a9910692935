"""Search, the same table of questions on whichever database the suite runs."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from registry.accounts.permissions import Actor
from registry.api.prime.outputs import EnvironmentSerializer
from registry.catalog.search.criteria import CatalogSearch
from registry.catalog.search.facets import CountedFacet
from registry.catalog.search.results import SearchResults
from registry.models import Environment, Organisation, Token, User
from registry.read_models import catalog_query, environments
from tests.factories import make_version

NOBODY = AnonymousUser()


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
    make_version(carol, "gsm8k", summary="Grade school problems.", keywords=["math"])
    make_version(carol, "gsm8k-hard", summary="The same with larger numbers.")
    make_version(alice, "code-golf", summary="Short programs.", framework="gymnasium")
    make_version(carol, "x", summary="One letter.")


def search(words: str = "", *, mine: bool = False, **filters: str) -> CatalogSearch:
    return CatalogSearch(words=words, filters=filters, mine=mine)


def names_of(
    words: str, actor: Actor = NOBODY, token: Token | None = None, sort: str = "", **filters: Any
) -> list[str]:
    order = sort or ("relevance" if words else "name")
    rows, _ = catalog_query.environments(
        SearchResults(search(words, **filters), actor, token, by_relevance=order == "relevance"),
        sort=order,
        cursor="",
        limit=100,
    )
    return [environment.name for environment in rows]


QUESTIONS = {
    "tic": ["tic-tac-toe"],
    "tic-tac-toe": ["tic-tac-toe"],
    "TIC TAC": ["tic-tac-toe"],
    "tictactoe": ["tic-tac-toe"],
    "game": ["tic-tac-toe"],
    "math": ["gsm8k", "sums"],
    "minimax": ["tic-tac-toe"],
    "noughts crosses": ["tic-tac-toe"],
    # all words before some of them
    "carol/sums": ["sums", "x", "gsm8k-hard", "gsm8k"],
    "carol sums": ["sums", "x", "gsm8k-hard", "gsm8k"],
    "carol": ["x", "gsm8k-hard", "gsm8k", "sums"],
    "noughts problems": ["gsm8k", "sums", "tic-tac-toe"],
    "math with unicorns": ["gsm8k", "sums"],
    "zebra gsm8k": ["gsm8k", "gsm8k-hard"],
    "larger numbers game": ["gsm8k-hard", "tic-tac-toe"],
    "minimax game gsm8k": ["tic-tac-toe", "gsm8k", "gsm8k-hard"],
    "sums sums": ["sums"],
    "nothing-like-it": [],
    "übung": ["sums"],
    "ubung": ["sums"],
    "zahlen": ["sums"],
    # the exact name first, then what only begins so
    "gsm8k": ["gsm8k", "gsm8k-hard"],
    "gsm8k hard": ["gsm8k-hard", "gsm8k"],
    "gsm 8k": ["gsm8k", "gsm8k-hard"],
    # spelled in one word or in two
    "code golf": ["code-golf"],
    "code_golf": ["code-golf"],
    "codegolf": ["code-golf"],
    # the last word may be unfinished, the others may not
    "gsm": ["gsm8k", "gsm8k-hard"],
    "code gol": ["code-golf"],
    "cod golf": ["code-golf"],  # taken for a slip
    # short words
    "x": ["x"],
    "to": ["tic-tac-toe"],
    # a README counts less than a name
    "reverse": ["reverse-text", "tic-tac-toe"],
}
SLIPS = {
    "gms8k": ["gsm8k", "gsm8k-hard"],
    "gsm8": ["gsm8k", "gsm8k-hard"],
    "gssm8k": ["gsm8k", "gsm8k-hard"],
    "gxm8k": ["gsm8k", "gsm8k-hard"],
    "revrse": ["reverse-text", "tic-tac-toe"],
    "code gofl": ["code-golf"],
    "everse": ["reverse-text", "tic-tac-toe"],
    "golfing": [],
    "gms8k unicorns": ["gsm8k", "gsm8k-hard"],
    "minimax gms8k": ["gsm8k", "gsm8k-hard", "tic-tac-toe"],
}


def test_questions_find_these_in_this_order(shelf: None) -> None:
    assert {words: names_of(words) for words in QUESTIONS} == QUESTIONS


def test_slips_of_the_hand_still_find(shelf: None) -> None:
    assert {words: names_of(words) for words in SLIPS} == SLIPS


SIGNS = ("%", "_", "'", '"', "\\", "!!!", "& |", ":*", "(", "\0", "<->", "{}", "-", "^", "*", "+")


def test_signs_alone_find_nothing(shelf: None) -> None:
    assert [sign for sign in SIGNS if names_of(sign)] == []


def test_no_sign_or_word_means_anything_to_the_database(shelf: None) -> None:
    wild = {
        "t%c": [],
        "t_c": [],
        "tic OR sums": ["sums", "tic-tac-toe"],
        "NOT sums": ["sums"],
        "summary : sums": ["sums"],
        "sums NEAR sums": ["sums"],
    }
    assert {words: names_of(words) for words in wild} == wild


def test_search_words_of_one_letter_or_of_grammar_bring_no_others(shelf: None) -> None:
    assert names_of("the math of a unicorn") == ["gsm8k", "sums"]


def test_orders_but_relevance_hold_documents_with_all_words_where_there_are_any(
    shelf: None,
) -> None:
    assert names_of("carol sums", sort="name") == ["sums"]
    assert names_of("zebra gsm8k", sort="name") == ["gsm8k", "gsm8k-hard"]


def test_filters_and_facets_count_partial_matches(shelf: None) -> None:
    assert names_of("zebra golf", framework="gymnasium") == ["code-golf"]
    assert names_of("zebra golf", framework="verifiers") == []
    assert facets("zebra golf")["framework"] == {"gymnasium": 1}


def test_a_rank_depends_on_the_document_and_the_question_alone(alice: User) -> None:
    make_version(alice, "solve-maze", summary="Find out.")
    make_version(alice, "paint", summary="Paint a maze.")
    results = SearchResults(search("solve maze quickly"), NOBODY)
    before = {pk: rank for rank, pk in results.ranked()}
    make_version(alice, "solve-maze-quickly")
    after = [*SearchResults(search("solve maze quickly"), NOBODY).ranked()]
    assert len(after) == 3
    assert {pk: rank for rank, pk in after if pk in before} == before


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    words=st.text(max_size=60)
    | st.lists(
        st.sampled_from(["sums", "tic", "AND", "OR", "NOT", "NEAR", "name:", *SIGNS, "a*", "1e5"]),
        max_size=8,
    ).map(" ".join)
)
def test_any_search_text_gives_a_list(shelf: None, words: str) -> None:
    names_of(words)


def test_a_very_long_question_is_cut_not_refused(shelf: None) -> None:
    assert names_of("reverse " * 1000) == ["reverse-text", "tic-tac-toe"]
    assert names_of("a" * 100_000) == []


def test_a_huge_readme_is_found_by_its_beginning(alice: User) -> None:
    make_version(alice, "long", readme="".join(f"word{n} " for n in range(200_000)))
    assert names_of("word7") == ["long"]
    assert names_of("word199999") == []


def test_more_used_environments_come_first_among_equals(alice: User) -> None:
    for name in ("aa-maze", "bb-maze", "cc-maze"):
        Environment.objects.filter(pk=make_version(alice, name).environment_id).update(
            installs=100 if name == "bb-maze" else 0
        )
    make_version(alice, "bb-maze", "0.2.0")
    assert names_of("maze") == ["bb-maze", "cc-maze", "aa-maze"]


def test_search_shows_private_environments_to_members_only(
    shelf: None, lab: Organisation, alice: User, bob: User, carol: User, root: User
) -> None:
    make_version(lab, "secret-maze", visibility="private", keywords=["hush"])
    for words in ("secret", "maze", "hush", "sceret", "lab"):
        assert names_of(words, NOBODY) == names_of(words, carol) == []
        assert names_of(words, bob) == names_of(words, alice) == ["secret-maze"]
    assert names_of("maze", root) == ["secret-maze"]
    for actor, names in ((carol, []), (bob, ["secret-maze"])):
        assert names_of("", actor, tag="hush") == names
        facets = {facet.facet.name: facet for facet in SearchResults(search(), actor).facets()}
        assert ("hush" in values(facets["tag"])) == bool(names)
        assert ("lab" in values(facets["owner"])) == bool(names)


def values(facet: CountedFacet) -> dict[str, int]:
    return {value.value: value.count for value in facet.values}


def facets(words: str = "", **filters: Any) -> dict[str, dict[str, int]]:
    results = SearchResults(search(words, **filters), NOBODY)
    return {facet.facet.name: values(facet) for facet in results.facets()}


def test_facets_count_what_the_other_filters_leave(shelf: None) -> None:
    assert facets()["framework"] == {"verifiers": 6, "gymnasium": 1}
    chosen = facets(framework="gymnasium")
    assert chosen["framework"] == {"verifiers": 6, "gymnasium": 1}
    assert chosen["owner"] == {"alice": 1}
    assert facets("problems")["tag"] == {"math": 2, "zahlen-übung": 1}
    assert facets("problems", owner="alice")["owner"] == {"carol": 2, "alice": 0}
    assert facets(framework="none-such")["framework"]["none-such"] == 0
    assert "visibility" not in facets()


def test_own_environments_are_counted_by_visibility(alice: User) -> None:
    make_version(alice, "open")
    make_version(alice, "closed", visibility="private")
    make_version(alice, "early", status="evaluating")
    results = SearchResults(search(mine=True), alice)
    (facet,) = (f for f in results.facets() if f.facet.name == "visibility")
    assert values(facet) == {"public": 2, "private": 1}
    assert names_of("", alice, mine=True, visibility="private") == ["closed"]
    assert names_of("early", alice, mine=True) == ["early"]
    assert names_of("early", alice) == []


def test_a_short_word_with_few_letters_in_place_is_corrected(alice: User) -> None:
    make_version(alice, "maze")
    assert names_of("amze") == names_of("mzae") == names_of("mae") == names_of("mazes") == ["maze"]


def test_a_list_loads_all_columns_that_it_shows(shelf: None) -> None:
    rows = list(SearchResults(search(""), NOBODY).rows())
    with CaptureQueriesContext(connection) as captured:
        environments.summaries(rows)
        assert len(EnvironmentSerializer(rows, many=True).data) == len(rows)
    assert len(captured) == 0


def test_without_pg_trgm_search_works_but_forgives_nothing(shelf: None) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has trigrams always")
    with connection.cursor() as cursor:
        cursor.execute("DROP EXTENSION pg_trgm CASCADE")
    assert names_of("gms8k") == []
    assert names_of("gsm8k") == ["gsm8k", "gsm8k-hard"]
