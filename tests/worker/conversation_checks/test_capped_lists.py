"""Lists that a tool cuts at a number of entries, while the answers count all."""

from __future__ import annotations

import json

import pytest

from envyard_runner.conversation_checks.capped_lists import entries, other_counts
from envyard_runner.conversation_checks.reference_work import ReferenceWork

PROMPT = "How many books on chess does the library have?"


def rows(number: int) -> str:
    books = [f"Atlas {place} | Grady | chess | {1950 + place}" for place in range(number)]
    return "\n".join([f"{number} books found", *books])


def works(
    *pairs: tuple[int, int], prompt: str = PROMPT, **fields: bool
) -> dict[str, ReferenceWork]:
    """Tasks by the number of entries that the tool lists and the answer."""
    return {
        f"oracle/{task}/0": ReferenceWork(
            prompt, str(answer), frozenset({"search"}), (rows(listed),), **fields
        )
        for task, (listed, answer) in enumerate(pairs)
    }


CUT = ((8, 13), (8, 21), (5, 5), (8, 9), (3, 3), (8, 8))


def test_answers_beyond_the_longest_list_contradict_it() -> None:
    contrary = other_counts(works(*CUT))
    assert [*contrary] == ["oracle/0/0", "oracle/1/0", "oracle/3/0"]
    assert contrary["oracle/0/0"].answer == "13"
    assert contrary["oracle/0/0"].instead == "8 entries, as the longest list"


def test_lists_that_are_whole_or_that_the_answers_do_not_count_are_sound() -> None:
    assert other_counts(works((8, 8), (13, 13), (5, 5), (21, 21))) == {}
    assert other_counts(works((8, 13), (8, 21), (5, 2), (8, 9))) == {}  # another count
    assert other_counts(works((8, 13), (9, 21), (7, 7), (6, 6))) == {}  # no common end
    assert other_counts(works(*CUT, prompt="Which book on chess is the oldest?")) == {}


def test_what_is_counted_tells_the_tasks_apart() -> None:
    pages = works(*((listed, 300 * listed) for listed, _ in CUT), prompt="How many pages are they?")
    both = works(*CUT) | {f"{name}/pages": work for name, work in pages.items()}
    assert [*other_counts(both)] == ["oracle/0/0", "oracle/1/0", "oracle/3/0"]


def test_a_tool_with_pages_and_a_result_that_names_more_are_sound() -> None:
    assert other_counts(works(*CUT, has_pages=True)) == {}
    paged = {
        name: ReferenceWork(PROMPT, each.answer, each.tools, (f"{each.results[0]}\n5 more ...",))
        for name, each in works(*CUT).items()
    }
    assert other_counts(paged) == {}


@pytest.mark.parametrize(
    ("result", "number"),
    [
        ("\n" * 50_000, 0),
        (json.dumps([1, 2, 3]), 3),
        (json.dumps({"found": 2, "books": ["a", "b"]}), 2),
        (rows(7), 7),
        ("- one\n- two\n- three", 3),
        ("alpha\nbeta", 2),
        ("nothing found", 0),
        ("[" * 100_000, 0),
    ],
)
def test_the_entries_of_a_result_are_counted(result: str, number: int) -> None:
    assert entries(result) == number


def test_lists_of_one_length_whose_answers_count_something_else_are_sound() -> None:
    seats = works((5, 40), (5, 72), (5, 90), (5, 33), prompt="How many seats do its rooms have?")
    assert other_counts(seats) == {}


BAPTISMS = "How many of the children who were baptised in Birken were girls?"


def baptisms(listed: int, girls: int) -> str:
    kinds = ["daughter"] * girls + ["son"] * (listed - girls)
    return "\n".join([f"{listed} entries", *(f"170{n % 9}: a {k}" for n, k in enumerate(kinds))])


def of_girls(*rows: tuple[int, int, int], prompt: str = BAPTISMS) -> dict[str, ReferenceWork]:
    """Tasks by the number of entries that the tool lists, the girls among them, and the answer."""
    return {
        f"oracle/{task}/0": ReferenceWork(
            prompt, str(answer), frozenset({"search"}), (baptisms(listed, girls),)
        )
        for task, (listed, girls, answer) in enumerate(rows)
    }


SHORTER = ((9, 4, 4), (7, 2, 2), (12, 6, 6), (8, 5, 5), (11, 4, 4))
FULL = ((20, 9, 13), (20, 11, 12), (20, 8, 8), (20, 10, 17))


def test_answers_beyond_the_entries_with_one_word_contradict_the_longest_list() -> None:
    contrary = other_counts(of_girls(*SHORTER, *FULL))
    assert [*contrary] == ["oracle/5/0", "oracle/6/0", "oracle/8/0"]
    expected = "9 entries with 'daughter' of 20, as the longest list"
    assert contrary["oracle/5/0"].instead == expected


def test_entries_with_one_word_that_the_answers_count_are_sound() -> None:
    whole = tuple((listed, girls, girls) for listed, girls, _ in FULL)
    assert other_counts(of_girls(*SHORTER, *whole)) == {}
    assert other_counts(of_girls(*SHORTER[:3], *FULL)) == {}  # too few lists below the longest
    assert other_counts(of_girls(*SHORTER, (9, 3, 5), *FULL)) == {}  # the answers count others
    assert other_counts(of_girls(*SHORTER, (20, 9, 8), *FULL)) == {}  # and not always more
    assert other_counts(of_girls(*SHORTER, *FULL, prompt="Name the oldest child.")) == {}
