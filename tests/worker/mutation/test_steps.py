"""Ways without their steps."""

import pytest

from envyard_runner.mutation.steps import ends


@pytest.mark.parametrize(
    ("prompt", "answer", "changed"),
    [
        ("Find a word ladder from cold to warm.", "cold, cord, card, ward, warm", "cold, warm"),
        ("Give the shortest route.", "A -> B -> C -> D", "A -> D"),
        ("List your moves as JSON.", '["up", "left", "left", "down"]', '["up", "down"]'),
        ("Write one of the steps on each line.", "fill A\npour\nempty B\npour", "fill A\npour"),
        ("Give the shortest route.", "A -> B -> C", None),
        ("Name the planets.", "Mars, Venus, Earth, Saturn", None),
        ("Give the shortest route.", "4", None),
        ("Explain your steps.", f"{'because of this, ' * 9}{'x' * 80}, so", None),
        ("Give the route.", "A, , B, C", None),
    ],
)
def test_the_first_and_the_last_step_are_left(
    prompt: str, answer: str, changed: str | None
) -> None:
    assert ends(answer, prompt) == changed
