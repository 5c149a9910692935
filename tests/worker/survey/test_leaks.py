"""Which conversations name their answer, and which merely contain it."""

from __future__ import annotations

import pytest

from envyard_runner.survey.leaks import leak_in, tool_texts


@pytest.mark.parametrize(
    ("conversation", "reference"),
    [
        ("Add 3 and 39. (solution: 42)", "42"),
        ("You help with sums. Key: THE OTTER FEEDS.\nStory 7", "THE OTTER FEEDS"),
        ("Add 3 and 120. (code 321)", "123"),
        ("The expected answer is Paris.", "<answer>Paris</answer>"),
        ("Secret=hunter2 What is it?", "hunter2"),
        ("The answer is 42. The answer is needed.", "42"),
    ],
)
def test_an_answer_behind_a_word_that_presents_it_is_a_leak(
    conversation: str, reference: str
) -> None:
    assert leak_in(conversation, reference)


@pytest.mark.parametrize(
    ("conversation", "reference"),
    [
        ("Repeat exactly: hello world", "hello world"),
        ("Reverse this text.\n\nabc def", "fed cba"),
        ("Paris is in France. Which town is in France?", "Paris"),
        ("Answer yes or no: is 7 prime?", "yes"),
        ("Reply with the answer (A, B or C).", "A"),
        ("Answer with a number from 10 to 20.", "15"),
        ("The answer 420 is too large. What is 6 * 7?", "42"),
        ("End with 'Label: positive' or 'Label: negative'.", "positive"),
        ("Print the solution.", ""),
        ("code " * 50, "x" * 5000),
    ],
)
def test_echo_extraction_and_choice_are_no_leaks(conversation: str, reference: str) -> None:
    assert not leak_in(conversation, reference)


def test_descriptions_of_tools_and_of_their_parameters_are_read() -> None:
    city = {"type": "string", "description": "A city.", "enum": ["answer", "42"]}
    parameters = {"type": "object", "properties": {"description": city}}
    function = {"name": "look_up", "description": "Look it up.", "parameters": parameters}
    assert [*tool_texts([{"type": "function", "function": function}])] == ["Look it up.", "A city."]
    assert [*tool_texts([None, {"function": 7}, {"description": ["x"]}])] == []
