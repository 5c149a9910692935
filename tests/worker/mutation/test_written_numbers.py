"""Numbers in the form that a prompt shows for the answer, or that its tools use."""

from __future__ import annotations

import time

import pytest

from envyard_runner.mutation.written_numbers import in_wanted_form

TOOLS = "Reply with the amount written as the tools write theirs."
RATES = "1,042.50 EUR\n391.00 EUR"


@pytest.mark.parametrize(
    ("answer", "prompt", "after"),
    [
        ("1284.50 EUR", TOOLS, "1,284.50 EUR"),
        ("1284.50", "Give the total in the same format as the price list.", "1,284.50"),
        ("1284.50", "Write the price the way the ledger prints it.", "1,284.50"),
        ("1284.5", "Finish with a line of the form `Total: $1,284.50`.", "$1,284.50"),
        ("$1284.50", "Write the amount like $12,000.00.", "$1,284.50"),
        ("1284.50", "Your answer has the form 12.000,75.", "1.284,50"),
        ("-1234567", "State the final total, e.g. 1,000,000, on the last line.", "-1,234,567"),
        ("1284", "Write the amount like 1'000.", "1'284"),
        ("total of 1284 crowns", "Reply as in 12,345 crowns.", "total of 1,284 crowns"),
    ],
)
def test_a_number_is_written_as_the_prompt_wants_it(answer: str, prompt: str, after: str) -> None:
    assert in_wanted_form(answer, prompt, RATES) == after


@pytest.mark.parametrize(
    ("answer", "prompt"),
    [
        ("284.50", TOOLS),  # nothing to separate
        ("1,284.50", TOOLS),  # as it is
        ("1284.50 and 1390", TOOLS),
        ("1284.505", "Write the amount like 1,284.50."),
        ("1284", "Write the amount like 1,284.50, rounded to the nearest euro."),
        ("1284.50", "Reply with the name as the tools write it, then with the total."),
        ("1284.50", f"{TOOLS} No separators of thousands."),
        ("1284.50", f"{TOOLS} Only digits."),
        ("128450", f"{TOOLS} In cents."),
        ("1284.50", "The tools write amounts such as 1,042.50. Reply with a plain number."),
        ("1284.50", "A shop sold goods such as 1,250 nails. What did it earn?"),
        ("1284.50", "Reply with the total. Rates are in the tools."),
        ("2031-05-14", "Write the amount like 1,284.50."),
        ("1284", "Write the amount like 1.284."),  # a decimal number
    ],
)
def test_what_is_not_wanted_is_left_alone(answer: str, prompt: str) -> None:
    assert in_wanted_form(answer, prompt, RATES) is None


@pytest.mark.parametrize("results", ["391.00 EUR", "1042.50 EUR", "1,042.50 and 2042.50", ""])
def test_tools_that_write_numbers_otherwise_show_no_form(results: str) -> None:
    assert in_wanted_form("1284.50", TOOLS, results) is None


def test_hostile_prompts_are_read_in_time() -> None:
    began = time.monotonic()
    for text in ("1,000", "1,000 ", "as the ", "like ", "format of ", "write the amount like 1,"):
        in_wanted_form("1284.50", text * 9_000, text * 9_000)
        in_wanted_form(text * 9_000, TOOLS, RATES)
    assert time.monotonic() - began < 3.0
