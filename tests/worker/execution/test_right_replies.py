"""Rollouts of probes whose pay is no fault."""

from __future__ import annotations

from typing import Any

from envyard_runner.execution.right_replies import RightReplies
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record


def played(policy: str, task: int, last: str, *, turns: int = 2) -> Record:
    record = Record(f"{policy}/{task}/0", policy)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Where is the leak?"}]
    for turn in range(turns):
        reply = last if turn == turns - 1 else f"read {policy} {turn}"
        record.add(Call([*messages], [], False, False, {}), Reply(content=[reply]), 0.1)
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": "low"}]
    return record


def rollouts(right: list[str], swapped: list[str], *, turns: int = 2) -> list[str]:
    replies = RightReplies()
    for task, (own, other) in enumerate(zip(right, swapped, strict=True)):
        replies.add(played("oracle", task, own, turns=turns))
        replies.add(played("swapped", task, other, turns=turns))
    return replies.rollouts


def test_another_tasks_reference_that_reads_the_conversation_does_work() -> None:
    assert rollouts(["12", "40", "7"], ["12", "40", "3"]) == ["swapped/0/0", "swapped/1/0"]


def test_a_label_that_up_to_half_of_the_references_end_with_is_right_where_it_is_theirs() -> None:
    right, swapped = ["air", "air", "oil", "gas", "ice"], ["air", "oil", "air", "gas", "air"]
    assert rollouts(right, swapped) == ["swapped/0/0", "swapped/3/0"]


def test_a_last_reply_that_most_references_give_shows_no_work() -> None:
    assert rollouts(["Done.", "Done.", "7"], ["Done.", "Done.", "3"]) == []


def test_one_reply_is_right_only_where_the_gateway_saw_that() -> None:
    assert rollouts(["12", "40"], ["12", "40"], turns=1) == []
    replies, record = RightReplies(), played("silent", 0, "", turns=1)
    record.gave_right_reply = True
    replies.add(record)
    assert replies.rollouts == ["silent/0/0"]
