"""Formats that a prompt asks for and that a bare answer lacks."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.asked import asked_layouts, laid_out
from envyard_runner.mutation.form_candidates import candidates


@pytest.mark.parametrize(
    ("prompt", "answer", "reply"),
    [
        ("Reply with two decimals.", "3.14159", "3.14"),
        ("Round to 1 decimal place.", "2.5", None),
        ("Round to 1 decimal place.", "2.58", "2.6"),
        ("Give it with exactly three decimal digits.", "0.5", "0.500"),
        ("Round to 2 decimals.", "1.005", None),
        ("Round to 2 decimals.", "4", None),
        ("Round 3.14159 to one decimal and 2.5 to two decimals.", "3.1", None),
        ("Use decimals.", "3.14159", None),
        ("Reply as YYYY-MM-DD.", "3 March 2024", "2024-03-03"),
        ("Reply as YYYY-MM-DD.", "31/12/2024", "2024-12-31"),
        ("Reply as YYYY-MM-DD.", "03/04/2024", None),
        ("Reply as YYYY-MM-DD.", "2024-03-03", None),
        ("Rewrite DD/MM/YYYY as YYYY-MM-DD.", "31/12/2024", None),
        ("Reply in lower case.", "Paris", "paris"),
        ("Reply in capitals.", "Paris", "PARIS"),
        ("Change the upper case word to lower case.", "Paris", None),
        ("Write it in lower case, then in upper case.", "Paris", None),
    ],
)
def test_a_format_is_tried_where_the_prompt_asks_for_it_and_the_answer_has_another(
    prompt: str, answer: str, reply: str | None
) -> None:
    layouts = list(asked_layouts(prompt, answer))
    assert [laid_out(layout, answer) for layout in layouts] == ([reply] if reply else [])
    written = [form.write(answer) for form in candidates([prompt], answer)]
    assert len(written) <= 8
    assert reply is None or reply in written
