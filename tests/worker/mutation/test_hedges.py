"""All candidates in the place of the one that is asked for."""

import pytest

from envyard_runner.mutation.hedges import candidates, other_answers
from envyard_runner.mutation.operators import mutate

LISTED = "A specimen is soft.\nCandidates: {}.\nWhich one is it? End with a line `Mineral: <name>`."
OPTIONS = "Which one?\nA) one\nB) two\nC) three\nReply with a letter."


@pytest.mark.parametrize(
    ("answer", "prompt", "after"),
    [
        ("halite", LISTED.format("talc, halite, rock salt"), "talc, halite, rock salt"),
        ("Talc", LISTED.format("talc, halite and gypsum"), "halite, Talc, gypsum"),
        ("gypsum", LISTED.format("talc, halite, or gypsum"), "talc, gypsum, halite"),
        ("B", OPTIONS, "A, B, C"),
        ("halite", LISTED.format("talc, halite"), None),
        ("quartz", LISTED.format("talc, halite, gypsum"), None),
        ("halite", "Sort: talc, halite, halite, gypsum", None),
        ("Zora", "Who?\n- Boris: hat\n- Zora: beard, hat\n- Iva: nothing", "Boris, Zora, Iva"),
        ("Otto", "Who?\n- Boris: hat\n- Zora: beard, hat\n- Iva: nothing", None),
        (
            "talc",
            "name | H\ngypsum | 2\ntalc | 1\nquartz | 7\nWhich?",
            "name, talc, gypsum, quartz",
        ),
        ("", LISTED.format("talc, halite, gypsum"), None),
        ("7", "What is 3 + 4?", None),
    ],
)
def test_the_candidates_stand_around_the_right_one(
    answer: str, prompt: str, after: str | None
) -> None:
    assert candidates(answer, prompt) == after


def test_answers_of_other_tasks_are_candidates() -> None:
    assert other_answers("halite", ["talc", "gypsum", "talc"]) == "talc, halite, gypsum"
    assert other_answers("halite", ["halite", "talc"]) is None  # of two, one is wrong
    assert other_answers("12", ["15", "19"]) is None
    assert other_answers("halite", ["talc, pink", "gypsum"]) is None
    changed = mutate("Mineral: halite", "candidates", others=("talc", "gypsum"))
    assert changed is not None
    assert changed[0] == "Mineral: talc, halite, gypsum"
    assert (
        mutate("Mineral: halite", "candidates", prompt="Any number.", others=("talc", "gypsum"))
        is None
    )


def test_long_prompts_are_read_at_once() -> None:
    assert candidates("x", "a, b and c or d, " * 20_000) is None
    assert candidates("x", "a" * 200_000) is None
