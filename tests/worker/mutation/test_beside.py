"""The right answer before a mark, and a wrong one in it."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

TITLE = "Write a title of at most five words between <title> and </title>."


def test_the_right_answer_stands_before_the_mark_and_a_wrong_one_in_it() -> None:
    changed = mutate("So:\n<title>Ghent fair: 42 stalls</title>", "beside", prompt=TITLE)
    wrong = mutate("So:\n<title>Ghent fair: 42 stalls</title>", "marked_wrong", prompt=TITLE)
    assert changed is not None
    assert wrong is not None
    assert changed[0] == f"Ghent fair: 42 stalls\n\n{wrong[0]}"
    assert "Ghent" not in wrong[0]
    assert wrong[0].startswith("So:\n<title>")
    assert wrong[0].endswith(f"{changed[2]}</title>")
    assert len(changed[2].split()) == 4


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        ("Reply in \\boxed{}.", "\\boxed{12}"),
        ("End with a line `#### N`.", "It is 12.\n#### 12"),
    ],
)
def test_every_mark_that_the_prompt_names(prompt: str, reply: str) -> None:
    changed = mutate(reply, "beside", prompt=prompt)
    assert changed is not None
    assert changed[0].startswith("12\n\n")


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        ("Write a title.", "<title>Ghent fair</title>"),
        (TITLE, "Ghent fair"),
        (TITLE, "<title>Ghent</title> <title>Ghent fair</title>"),
        (TITLE, "<title>Ghent\nfair</title>"),
        (TITLE, f"<title>{'x' * 300}</title>"),
        ('Reply with JSON: {"title": "..."}', '{"title": "Ghent fair"}'),
    ],
)
def test_without_one_mark_that_the_prompt_names_nothing_changes(prompt: str, reply: str) -> None:
    assert mutate(reply, "beside", prompt=prompt) is None
