"""Lists with one item more, one less, or the first alone."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.lists import added, dropped
from envyard_runner.mutation.operators import mutate


@pytest.mark.parametrize(
    ("operator", "reply", "after"),
    [
        ("added", "otter, lynx", "otter, lynx, chhsf"),
        ("added", "<answer>3,14,5</answer>", "3,14,5,27"),
        ("added", "[3, 14]", "3, 14, 27"),
        ("added", '["otter", "lynx"]', '"otter", "lynx", "chhsf"'),
        ("dropped", "otter, lynx, stork", "otter, lynx"),
        ("dropped", "[3, 14, 5]", "3, 14"),
        ("repeated", "otter, lynx, stork", "otter, otter, otter"),
    ],
)
def test_a_changed_list(operator: str, reply: str, after: str) -> None:
    changed = mutate(reply, operator, prompt="Name all.")
    assert changed is not None
    assert changed[2] == after


@pytest.mark.parametrize(
    ("operator", "prompt", "reply"),
    [
        ("added", "Name it.", "otter"),
        ("added", "Name all.", '[{"name": "otter"}, {"name": "lynx"}]'),
        ("added", "Tell a story.", "Once an otter met a lynx, and both of them left. The end"),
        ("dropped", "Name all.", "otter, lynx"),
        ("dropped", "Name at least two.", "otter, lynx, stork"),
        ("dropped", "Which are they?", "[1, 2]"),
    ],
)
def test_an_answer_that_is_no_such_list(operator: str, prompt: str, reply: str) -> None:
    assert mutate(reply, operator, prompt=prompt) is None


@pytest.mark.parametrize(
    ("prompt", "answer", "more"),
    [
        ("Go from b3 to f6; c5, d7, a1 and h8 are free.", "b3, c5, d7, f6", "b3, c5, d7, f6, a1"),
        ("The drawer: F611, F832, F700, T155.", "F611, F832", "F611, F832, F700"),
        ("Choose of 1, 2, 5 and 9.", "[1, 2]", "1, 2, 5"),
        ("One of lemon, piano, river.", "lemon, piano", "lemon, piano, river"),
        ("Order the scenes.\nA: x\nB: y\nC: z", "B, A, C", None),
    ],
)
def test_of_items_that_the_prompt_names_another_one_is_added(
    prompt: str, answer: str, more: str | None
) -> None:
    changed = mutate(answer, "added", prompt=prompt)
    assert (changed and changed[2]) == more


NAMED = "Carry it out in order and write it as A=1, B=2, C=3."


@pytest.mark.parametrize("answer", ["A=-20, B=16, C=-49", "a = 1; b = 2", "x=1\ny=2\nz=3"])
def test_named_values_have_no_order_and_may_stand_among_others(answer: str) -> None:
    reply = f"<state>{answer}</state>"
    for operator in ("order", "added", "negation"):
        assert mutate(reply, operator, prompt=NAMED) is None
    assert mutate(reply, "permuted", prompt=NAMED) is not None
    assert mutate(reply.replace(", ", " "), "order", prompt=NAMED) is None


@pytest.mark.parametrize("answer", ["A=1, B=2, 17", "A=1, A=2, A=3", "otter, lynx, stork"])
def test_other_items_are_reversed_and_added_to(answer: str) -> None:
    prompt = "Sort them in ascending order."
    for operator in ("order", "added"):
        assert mutate(answer, operator, prompt=prompt) is not None


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["a, ", "- ", "(((", "and ", " \t", "a1"])
def test_lists_in_long_prompts_are_read_in_time(piece: str) -> None:
    mutate("ax, bx", "added", prompt="ax, bx " + piece * 20_000)


def test_lines_lose_the_last_one() -> None:
    assert dropped("push 1\npush 2\nadd", "Give the trace.") == "push 1\npush 2"
    assert dropped("push 1\nadd", "Give the trace.") is None
    assert dropped("a\nb\nc", "Name at least two.") is None
    assert dropped("def f(x):\n    return x\nprint(f(1))", "Define f.") is None
    assert dropped("autumn moon\na frog\nsplash", "Write a haiku.") is None
    prose = f"Dear Ann,\n{'we thank you ' * 9}\nBest regards"
    assert dropped(prose, "Draft a reply.") is None


def test_values_with_names_get_no_item_more() -> None:
    assert added("Ann: knight, Bo: knave, Cy: knave", "Who is what?") is None
    assert added("ann, bo, cy", "Who is a knave?") is not None
