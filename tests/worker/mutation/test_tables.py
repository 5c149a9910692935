"""Markdown tables whose columns are aligned."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

TABLE = "| city | stops |\n| --- | --- |\n| Jena | 12 |\n| Halle | 3 |"
ALIGNED = "| city  | stops |\n| ----- | ----- |\n| Jena  | 12    |\n| Halle | 3     |"
WANTED = "Sort the rows and return them as a Markdown table."


def changed(prompt: str, answer: str) -> str | None:
    mutant = mutate(answer, "table_layout", prompt=prompt)
    return mutant[0] if mutant else None


def test_columns_are_aligned_with_spaces() -> None:
    assert changed(WANTED, TABLE) == ALIGNED
    assert changed(f"{WANTED} You may align the columns with extra spaces.", TABLE) == ALIGNED


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        (WANTED, ALIGNED),
        (WANTED, "| city |"),
        (WANTED, "| a | b |\n| --- | --- |\n| c |"),
        (WANTED, "city, stops\nJena, 12\nHalle, 3"),
        (f"{WANTED} Do not pad the cells.", TABLE),
        (f"{WANTED} Use exactly one space around each cell.", TABLE),
        ("Return the rows with bars between the cells.", TABLE),
    ],
)
def test_other_texts_and_layouts_that_prompts_define_stay(prompt: str, answer: str) -> None:
    assert changed(prompt, answer) is None
