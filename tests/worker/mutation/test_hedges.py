"""All candidates in the place of the one that is asked for."""

import pytest

from envyard_runner.mutation.hedges import candidates

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
        ("", LISTED.format("talc, halite, gypsum"), None),
        ("7", "What is 3 + 4?", None),
    ],
)
def test_the_candidates_stand_around_the_right_one(
    answer: str, prompt: str, after: str | None
) -> None:
    assert candidates(answer, prompt) == after


def test_long_prompts_are_read_at_once() -> None:
    assert candidates("x", "a, b and c or d, " * 20_000) is None
    assert candidates("x", "a" * 200_000) is None
