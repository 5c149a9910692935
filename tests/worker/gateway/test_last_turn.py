"""The right reply in the last turn that a prompt promises."""

from __future__ import annotations

import pytest

from envyard_runner.gateway.last_turn import BEFORE_LAST, LAST_TURN, QuietTurns
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record


def played(rollout: str, prompt: str, *replies: str) -> Record:
    record = Record(rollout, rollout.partition("/")[0])
    messages = [{"role": "user", "content": prompt}]
    for reply in replies:
        call = Call([*messages], [], False, False, {})
        record.add(call, Reply(content=[reply], tool_calls={}, finish_reason="stop"), 0.1)
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": "No."}]
    return record


def replies(
    operator: str, prompt: str, *, quiet: int, right: tuple[str, ...] = ("7",)
) -> list[str]:
    """The texts of the course of a task; none where there is no course."""
    turns = QuietTurns()
    turns.add(played("silent/3/0", prompt, *[""] * quiet))
    oracle = played("oracle/3/0", prompt, *right)
    course = turns.course(operator, 3, oracle.recorder.transcript)
    return [reply["content"] for reply in course.replies] if course else []


def test_empty_replies_come_before_the_right_one() -> None:
    prompt = "Guess my number. You have six guesses."
    assert replies(LAST_TURN, prompt, quiet=6) == ["", "", "", "", "", "7"]
    assert replies(BEFORE_LAST, prompt, quiet=6) == ["", "", "", "", "7"]
    assert replies(LAST_TURN, "You get 4 more tries.", quiet=4) == ["", "", "", "7"]


@pytest.mark.parametrize(
    ("prompt", "quiet", "right"),
    [
        ("Guess my number.", 6, ("7",)),
        ("You have six guesses.", 12, ("7",)),  # an empty reply is no guess there
        ("You have two guesses.", 2, ("7",)),
        ("You have six guesses.", 6, ("5", "7")),
        ("You have 6 coins. In 9 turns, buy all.", 6, ("7",)),
    ],
)
def test_other_numbers_of_turns_and_longer_games_have_no_course(
    prompt: str, quiet: int, right: tuple[str, ...]
) -> None:
    assert replies(LAST_TURN, prompt, quiet=quiet, right=right) == []
