"""Negative amounts in parentheses."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

ALLOWED = "A negative position may be written with a minus sign or in accounting parentheses."


@pytest.mark.parametrize(
    ("reply", "after"),
    [("Net: -12,300", "Net: (12,300)"), ("-85.50", "(85.50)"), ("\u22127", "(7)")],
)
def test_a_negative_amount_stands_in_parentheses_where_the_prompt_allows_it(
    reply: str, after: str
) -> None:
    changed = mutate(reply, "in_parentheses", prompt=ALLOWED)
    assert changed is not None
    assert changed[0] == after


@pytest.mark.parametrize(
    ("reply", "prompt"),
    [
        ("12,300", ALLOWED),
        ("-12,300", "Write negative numbers with a minus sign."),
        ("-12,300", "Write negative numbers with a sign, not in parentheses."),
        ("-3 to -1", ALLOWED),
    ],
)
def test_other_answers_and_prompts_have_no_such_form(reply: str, prompt: str) -> None:
    assert mutate(reply, "in_parentheses", prompt=prompt) is None
