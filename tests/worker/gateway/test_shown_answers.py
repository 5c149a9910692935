"""Messages that show the answer to a policy that does no work."""

from __future__ import annotations

from envyard_runner.execution.shown_answers import leak_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.gateway.shown_answers import shown_answer

ERROR = "the lock rejects 'x': cannot align it with 'RGBY'"


def played(policy: str, prompt: str, reply: str, answer_to_it: str) -> Record:
    """A rollout of two turns: `answer_to_it` is what the environment sent between them."""
    record = Record(f"{policy}/0/0", policy)
    first = [{"role": "user", "content": prompt}]
    between = [{"role": "assistant", "content": reply}, {"role": "user", "content": answer_to_it}]
    for messages in (first, first + between):
        call = Call(messages, [], False, False, {})
        record.add(call, Reply(content=[reply], tool_calls={}, finish_reason="stop"), 0.1)
    return record


def test_an_error_message_that_prints_the_secret_is_shown() -> None:
    for policy in ("silent", "malformed", "swapped"):
        assert shown_answer(played(policy, "Guess.", "x", ERROR), "RGBY") == ERROR
    assert shown_answer(played("silent", "Guess.", "", ERROR), "<answer>rgby</answer>") == ERROR


def test_what_the_policy_knew_or_worked_for_is_not_shown() -> None:
    assert not shown_answer(played("silent", "RGBY or BYRG?", "x", ERROR), "RGBY")
    assert not shown_answer(played("copy", "Guess.", "RGBY", ERROR), "RGBY")
    assert not shown_answer(played("oracle", "Guess.", "x", ERROR), "RGBY")
    assert not shown_answer(played("snoop", "Guess.", "x", ERROR), "RGBY")  # its tools read files
    assert not shown_answer(played("silent", "Guess.", "x", "Not between 12 and 100."), "12")
    assert not shown_answer(played("silent", "Guess.", "x", "false; RGBYO"), "RGBY")
    assert not shown_answer(played("silent", "Guess.", "x", "It is false."), "false")
    assert not shown_answer(played("silent", "Guess.", "x", "anything"), "")


def test_two_tasks_that_show_their_answers_warn() -> None:
    shown = {"silent/0/0": ERROR, "parrot/0/0": ERROR}
    assert not list(leak_findings(shown))
    (finding,) = leak_findings(shown | {"silent/3/0": "the code was GGGG"})
    assert (finding.code, finding.severity) == ("card.leaks", "warning")
    assert "3 rollouts: parrot/0/0, silent/0/0, silent/3/0" in finding.message
    assert finding.where == "parrot/0/0"
