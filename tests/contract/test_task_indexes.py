"""Tasks that a suite names by index: reading, writing, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envyard.contract.suite import BadSuite, SuiteDefinition
from envyard.contract.task_indexes import (
    MAX_INDEXES,
    BadIndexes,
    indexes_text,
    parse_indexes,
    part_of,
    read_indexes,
)

NAMED = {"attempts": 4, "indexes": [17, 3, 40]}


@given(st.sets(st.integers(0, 99_999), min_size=1, max_size=50))
def test_a_printed_list_reads_as_the_same_indexes(indexes: set[int]) -> None:
    ordered = tuple(sorted(indexes))
    assert tuple(parse_indexes(indexes_text(ordered, most=50))) == ordered


def test_long_lists_are_cut() -> None:
    assert indexes_text([0, 1, 2, 5, 9], most=2) == "0-2, 5, ..."
    assert indexes_text([]) == ""


@pytest.mark.parametrize("text", ["", "a", "3,", "5-3", "-1", "3;4", "1.5", "1234567"])
def test_a_text_that_is_no_list_of_indexes_is_refused(text: str) -> None:
    with pytest.raises(BadIndexes, match="must be an index such as 17, or 40-60"):
        parse_indexes(text)


def test_a_range_of_too_many_is_refused_without_being_built() -> None:
    with pytest.raises(BadIndexes, match=f"more than {MAX_INDEXES} entries"):
        parse_indexes("0-999999")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("3,17", "must be a list"),
        ([], "has 0 entries"),
        ([1, -1], "has '-1'"),
        ([1.0], "has '1.0'"),
        ([True], "has 'True'"),
        ([100_000], "0 to 99999"),
        ([4, 2, 4], "has 4 more than once"),
        (list(range(100_000)), "has 100000 entries; 1 to 10000 are possible"),
    ],
)
def test_indexes_that_no_suite_may_name_are_refused(value: object, message: str) -> None:
    with pytest.raises(BadIndexes, match=message):
        read_indexes(value)


def test_a_definition_names_its_tasks_in_order_and_counts_them() -> None:
    named = SuiteDefinition.from_dict(NAMED)
    assert (named.indexes, named.tasks) == ((3, 17, 40), 3)
    assert named.tasks_text == "3 tasks (3, 17, 40)"
    assert SuiteDefinition.from_dict(named.to_dict()) == named
    first = SuiteDefinition(tasks=3, attempts=4)
    assert "indexes" not in first.to_dict()
    assert first.digest != named.digest
    assert first.tasks_text == "up to 3 tasks"


def test_a_number_of_tasks_beside_other_indexes_is_refused() -> None:
    with pytest.raises(BadSuite, match="tasks 4 must be the number of indexes"):
        SuiteDefinition.from_dict({**NAMED, "tasks": 4})


def test_a_part_of_the_named_tasks_begins_at_its_first_index() -> None:
    assert part_of((3, 17, 40, 41), 17, 2) == (17, 40)
    assert part_of((), 5, 3) == range(5, 8)
