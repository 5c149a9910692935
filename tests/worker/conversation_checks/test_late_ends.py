"""Games that go on after the reply that should end them."""

from __future__ import annotations

import pytest

from envyard_runner.conversation_checks.late_ends import repeated_reply
from envyard_runner.execution.late_ends import late_end_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record

LOCK = "A lock has four digits, and the game ends as soon as it is open."


def played(prompt: str, *replies: str, policy: str = "oracle") -> Record:
    record = Record(f"{policy}/0/0", policy)
    messages = [{"role": "user", "content": prompt}]
    for reply in replies:
        given = Reply(content=[reply], tool_calls={}, finish_reason="stop")
        record.add(Call([*messages], [], False, False, {}), given, 0.1)
        messages += [given.message, {"role": "user", "content": "4 at the right place."}]
    return record


def test_a_reference_that_repeats_its_reply_shows_that_the_game_goes_on() -> None:
    assert repeated_reply(played(LOCK, "4711", "4711", "4711")) == "4711"


@pytest.mark.parametrize(
    "record",
    [
        played(LOCK, "4711"),
        played(LOCK, "4711", "4711"),
        played(LOCK, "4711", "4712", "4713"),
        played("Name it three times.", "4711", "4711", "4711"),
        played(LOCK, "4711", "4711", "4711", policy="silent"),
    ],
    ids=["one turn", "two turns", "other replies", "no end", "a probe"],
)
def test_other_rollouts_show_nothing(record: Record) -> None:
    assert repeated_reply(record) == ""


def test_two_tasks_with_different_replies_are_named() -> None:
    (warning,) = late_end_findings({"oracle/0/0": "4711", "oracle/1/0": "1234"})
    assert warning.code == "card.goes_on"
    assert "oracle/0/0" in warning.message
    assert not [*late_end_findings({"oracle/0/0": "4711", "oracle/1/0": "4711"})]
