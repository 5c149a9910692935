"""The last reply without its report, without the calls that it reports, and with other values."""

from __future__ import annotations

import pytest

from envyard_runner.gateway.courses.registry import COURSES
from tests.worker.gateway.courses.test_courses import given, played, tool_call

REPORT = "Look them up. Reply with the titles that you looked up and the number."


def test_a_report_of_calls_is_given_without_them_and_the_answer_without_the_report() -> None:
    look = tool_call("lookup", title="Salt Road")
    transcript = played(REPORT, look, "Consulted: Salt Road\nAnswer: 412", result="412 pages")
    assert given("reported", transcript) == ["Consulted: Salt Road\nAnswer: 412"]
    assert given("unreported", transcript) == [("lookup", "Salt Road"), "Answer: 412"]


@pytest.mark.parametrize("reply", ["Read: Salt Road\nPages: 412", "Pages: 412\nRead: Salt Road"])
def test_lines_that_name_what_calls_looked_up_are_the_report_of_an_answer_without_mark(
    reply: str,
) -> None:
    look = tool_call("lookup", title="Salt Road")
    transcript = played(REPORT, look, reply, result="412 pages")
    assert given("unreported", transcript) == [("lookup", "Salt Road"), "Pages: 412"]


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        ("How many pages?", "Consulted: Salt Road\nAnswer: 412"),
        (REPORT, "Answer: 412"),
        (REPORT, "Salt Road has\n412 pages, as Salt Road says"),
        (REPORT, '{\n"titles": ["Salt Road"],\n"answer": 412\n}'),
        (REPORT, '```json\n{"titles": [],\n"answer": 412}\n```'),
    ],
)
def test_no_report_is_left_out_where_none_is_wanted_or_given(prompt: str, reply: str) -> None:
    transcript = played(prompt, tool_call("lookup", title="Salt Road"), reply)
    assert COURSES["unreported"](transcript, ()) is None


def test_values_of_a_report_are_others_than_tools_returned() -> None:
    prompt = "Heading 8414 of 700 crowns. Write down the rate you found, then the duty."
    last = "- 8414: 12 %\nDuty: 84"
    transcript = played(prompt, tool_call("rate", heading="8414"), last, result="8414: 12 %")
    assert given("misreported", transcript)[-1] == "- 8414: 13 %\nDuty: 84"
    assert given("unreported", transcript)[-1] == "Duty: 84"
    assert COURSES["reported"](transcript, ()) is None
    other = played("Compute the duty.", tool_call("rate", heading="8414"), last, result="12 %")
    assert COURSES["misreported"](other, ()) is None


def test_of_lines_that_name_looked_up_things_the_one_with_most_is_the_report() -> None:
    prompt = "Read the loggers. Read: <the boxes whose loggers you have read>\nHold: <boxes>"
    looks = [{**tool_call("read_logger", box=box), "id": f"call_{box}"} for box in ("B12", "B34")]
    transcript = played(prompt, *looks, "Read: B12, B34\nHold: B34", result="4.1")
    assert given("unreported", transcript)[-1] == "Hold: B34"
    assert given("reported", transcript) == ["Read: B12, B34\nHold: B34"]
    all_held = played(prompt, *looks, "Read: B12, B34\nHold: B12, B34", result="4.1")
    assert COURSES["unreported"](all_held, ()) is None
