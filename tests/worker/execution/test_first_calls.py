"""What the first calls of references show."""

from __future__ import annotations

import pytest

from envyard_runner.execution.first_calls import COPY


@pytest.mark.parametrize("text", ["Copy the text exactly.", "Retype this line as it is: ab"])
def test_a_text_to_be_copied_is_known(text: str) -> None:
    assert COPY.search(text)


@pytest.mark.parametrize(
    "text",
    ["Type the answer exactly as on the card.", "Repeat the output format exactly.", "Copy it."],
)
def test_the_form_of_a_reply_is_no_text_to_be_copied(text: str) -> None:
    assert not COPY.search(text)
