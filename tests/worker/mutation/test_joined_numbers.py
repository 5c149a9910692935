"""Lists of small numbers in another form that the prompt shows."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

PLANES = """Reply with `Plane: (h k l)`; a negative index has a minus sign. Spaces, commas or
nothing may part the indices, so (2 1 0), (2,1,0) and (210) are all fine."""


def changed(operator: str, reply: str, prompt: str = PLANES) -> str | None:
    mutant = mutate(reply, operator, prompt=prompt)
    return mutant[0] if mutant else None


def test_a_list_takes_another_form_that_the_prompt_shows() -> None:
    forms = {changed("joined", f"Plane: ({n} 1 0)") for n in range(9)}
    assert {"," in (form or "") for form in forms} == {True, False}
    assert forms <= {f"Plane: ({n}{part}1{part}0)" for n in range(9) for part in ("", ",")}
    assert changed("joined_signs", "Plane: (1 -2 0)") == "Plane: (1-20)"
    assert changed("joined_signs", "Plane: (1,-2,0)") == "Plane: (1-20)"
    both = "Give the direction as [1, -1, 0], or compactly as [1-10]."
    assert changed("joined", "[2, -1, 3]", both) == "[2-13]"


@pytest.mark.parametrize(
    ("reply", "prompt"),
    [
        ("Plane: (1 2 0)", PLANES),  # no sign within it
        ("Plane: (-1 2 0)", PLANES),
        ("Plane: (12 -3 0)", PLANES),  # two digits
        ("Plane: 1 -2; 0", PLANES),
        ("Plane: (1 -2 0)", PLANES.replace(" and (210)", "")),
        ("Plane: (1 -2 0)", PLANES.replace("all fine", "all fine, but not (21 0)")),
        ("Plane: (1 -2 0)", PLANES.replace("; a negative index has a minus sign", "")),
        ("Plane: (1 -2 0)", "Write (2 1 0), never (210). A minus is allowed."),
        ("Plane: (1 -2 0)", "Write (2 1 0) or (3 1 0), or add 210; minus signs too."),
    ],
)
def test_what_the_prompt_does_not_show_stays(reply: str, prompt: str) -> None:
    assert changed("joined_signs", reply, prompt) is None
