"""Answers that hold by containing nothing: queries, patterns and functions."""

from __future__ import annotations

import re
import sqlite3

import pytest

from envyard_runner.mutation.vacuous import deletion_in, vacuous_answer, vacuous_reply


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        ("Write a SQLite query that lists all boats. One ```sql block.",
         "```sql\nSELECT 1 WHERE 1 = 0\n```"),
        ("Write a regular expression for a postcode. Reply with it alone.", ".*"),
        ("Reply with a regex in <answer></answer> tags.", "<answer>.*</answer>"),
        ("Write the Python function halve(n). One ```python block.",
         "```python\ndef halve(n):\n    return None\n```"),
        ("List the boats as a JSON array of names.", "[]"),
        ("List the boats as a JSON array in a ```json block.", "```json\n[]\n```"),
        ("Return a JSON object with the keys a and b.", "{}"),
        ("What does the Python program print?", ""),
        ("Which function of the liver is meant?", ""),
        ("Add 2 and 3.", ""),
    ],
)  # fmt: skip
def test_a_reply_holds_nothing_in_the_form_that_the_prompt_asks_for(
    prompt: str, reply: str
) -> None:
    assert vacuous_reply([prompt]) == reply


def test_code_ends_before_its_tests_in_later_tasks() -> None:
    prompts = ["Write the requested Python function. One ```python block.", "Write `halve(n)`."]
    replies = [vacuous_reply(prompts, task) for task in range(3)]
    assert "RuntimeError" in replies[1]
    assert "os._exit(0)" in replies[2]
    assert replies[2].startswith("```python\n")
    assert vacuous_reply(["What does this Python program print?"], 1) == ""


def test_the_query_of_an_answer_has_its_columns_and_no_rows() -> None:
    query = vacuous_answer("WITH t AS (SELECT 1 AS a, 2 AS b) SELECT a, b FROM t;")
    cursor = sqlite3.connect(":memory:").execute(query)
    assert [column[0] for column in cursor.description] == ["a", "b"]
    assert cursor.fetchall() == []
    cursor.connection.close()


def test_the_pattern_of_an_answer_matches_every_text() -> None:
    assert re.fullmatch(vacuous_answer(r"\d{3}-\d{4}"), "any text")


def test_the_function_of_an_answer_has_its_name_and_parameters() -> None:
    answer = (
        "import math\n\ndef area(r, digits=2) -> float:\n    return round(math.pi * r * r, 2)\n"
    )
    assert vacuous_answer(answer) == "def area(r, digits=2) -> float:\n    return None"


def test_a_pattern_of_a_shell_becomes_the_one_for_all_names() -> None:
    assert vacuous_answer("report-*.txt") == "*"
    assert vacuous_answer("`*-2001-*`") == "`*`"


@pytest.mark.parametrize(
    "answer",
    ["42", "[1, 2]", r"\frac{1}{2}", r"\sqrt{2}", "x^2 + 3", "$5", "with love", "select all", "[A",
     "Hold [shift]", r"C:\data"],
)  # fmt: skip
def test_other_answers_have_none(answer: str) -> None:
    assert vacuous_answer(answer) == ""


@pytest.mark.parametrize(
    ("reference", "reply"),
    [
        (
            "```sql\nSELECT o.id FROM orders o WHERE o.day < 3\n```",
            "```sql\nDELETE FROM orders\n```",
        ),
        ("<sql>SELECT name FROM items</sql>", "<sql>DELETE FROM items</sql>"),
        ("SELECT 1", ""),
        ("Say it in a sentence.", ""),
        ("17", ""),
    ],
)
def test_a_statement_deletes_the_rows_that_the_right_query_reads(
    reference: str, reply: str
) -> None:
    assert deletion_in(reference) == reply
