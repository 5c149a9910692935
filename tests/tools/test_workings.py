"""Arithmetic in steps of one digit, from which the small models learn."""

from __future__ import annotations

import pytest

from tools.vllm.workings import thoughts, with_workings, worked


def test_a_product_is_a_sum_of_products_with_one_digit() -> None:
    steps, value = worked("23 * 45")
    assert value == 1035
    assert steps == ["23 * 5 (511) 115", "23 * 4 (29) 92", "115 + 920 (5301) 1035"]
    assert worked("365 * 30")[0][-1].endswith(" 10950")


def test_each_step_of_an_expression_has_its_result_from_the_last_digit_too() -> None:
    steps, value = worked("2 * (48 + 9) - 14")
    assert (steps, value) == (["48 + 9 (75) 57", "57 * 2 (411) 114", "114 - 14 (001) 100"], 100)
    assert worked("411 // 8") == (["411 // 8 = 51"], 51)


def test_workings_stand_before_the_value_of_a_line() -> None:
    line = with_workings("Tests: 117 * 4 = 468")
    assert line == "Tests: 117 * 4 = 117 * 4 (864) 468 = 468"
    assert with_workings("#### 468") == "#### 468"


@pytest.mark.parametrize("text", ["2 ** 3", "int(4)", "-1"])
def test_other_expressions_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no operation"):
        worked(text)


def test_an_unknown_question_is_refused() -> None:
    with pytest.raises(ValueError, match="no way is known"):
        thoughts("What is the capital of Norway?")
