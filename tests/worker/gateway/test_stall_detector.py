"""How long a model server has not answered, and when the stall is reported."""

from __future__ import annotations

import pytest

from envyard_runner.gateway.reply import ModelFault, Refusal
from envyard_runner.gateway.stall_detector import StallDetector
from tests.worker.execution.event_feed import Clock


def test_calls_that_wait_in_vain_are_counted_until_the_server_answers() -> None:
    clock = Clock()
    detector = StallDetector(100.0, clock)
    for seconds in (40.0, 60.0):
        with detector.waiting():
            clock.now += seconds
    with detector.waiting() as answered:
        clock.now += 10.0
        assert detector.message() == (
            "the model server did not answer: 3 calls in a row waited in vain, the longest 60 s"
        )
        answered()
        clock.now += 90.0  # its stream goes on
        assert detector.message() == ""
    assert detector.message() == ""


def test_a_short_wait_is_no_silence_and_one_call_is_named_so() -> None:
    clock = Clock()
    detector = StallDetector(100.0, clock)
    with detector.waiting():
        clock.now += 20.0
        assert detector.message() == ""
        clock.now += 10.0
        assert detector.message().endswith(": 1 call waited in vain, the longest 30 s")


@pytest.mark.parametrize(
    ("refusal", "silent"),
    [
        (ModelFault(503, "model_timeout", "late"), True),
        (ModelFault(502, "model_error", "500"), False),
        (Refusal(400, "refused_by_model", "too long"), False),
    ],
)
def test_an_error_is_an_answer_and_a_time_out_is_none(refusal: Refusal, silent: bool) -> None:
    clock = Clock()
    detector = StallDetector(100.0, clock)

    def fails() -> None:
        with detector.waiting():
            clock.now += 50.0
            raise refusal

    with pytest.raises(Refusal):
        fails()
    assert bool(detector.message()) is silent
