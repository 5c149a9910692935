"""The right reply in the last turn that a prompt promises."""

from __future__ import annotations

import pytest

from envyard_runner.gateway.courses.last_turn import BEFORE_LAST, LAST_TURN, NAMED, QuietTurns
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record


def played(rollout: str, prompt: str, *replies: str, last: str = "No.") -> Record:
    """A rollout in which the environment says no, and `last` before the last reply."""
    record = Record(rollout, rollout.partition("/")[0])
    messages = [{"role": "user", "content": prompt}]
    for place, reply in enumerate(replies, 2):
        call = Call([*messages], [], False, False, {})
        record.add(call, Reply(content=[reply], tool_calls={}, finish_reason="stop"), 0.1)
        said = last if place == len(replies) else "No."
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": said}]
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


TOLD = "Session closed; first failing commit: 17. Name it."


def named(
    *,
    silent: str = TOLD,
    oracle: str = "It fails at 16.",
    prompt: str = "Find it.",
    first: str = "<check>16</check>",
) -> bool:
    turns = QuietTurns()
    turns.add(played("silent/3/0", prompt, "", "", "", last=silent))
    right = played("oracle/3/0", prompt, first, "<it>17</it>", last=oracle)
    course = turns.course(NAMED, 3, right.recorder.transcript)
    assert course is None or [each["content"] for each in course.replies] == ["", "", "<it>17</it>"]
    return course is not None


def test_the_last_reply_comes_behind_the_message_that_names_its_answer() -> None:
    assert named()
    assert named(first="<check>17</check>", oracle="It fails at 17.")  # its own number, repeated


def test_a_message_that_the_reference_reads_too_and_one_without_the_answer_have_no_course() -> None:
    assert not named(silent="Session closed; name it.")
    assert not named(silent="Session 170 is closed.")
    assert not named(oracle=TOLD)  # it is told what to repeat
    assert not named(oracle="I want the 17.")  # a user tells it when asked
    assert not named(prompt="Is it 16 or 17?")
    assert not named(prompt="My price is 20.", silent="My price is 17.")


def test_an_offer_before_a_farewell_is_the_reply_that_was_named() -> None:
    turns = QuietTurns()
    prompt, end = "You have three offers.", "I would have let it go for 437. Goodbye!"
    turns.add(played("silent/3/0", prompt, "", "", "", last=end))
    right = played("oracle/3/0", prompt, "OFFER 437", "Thank you, goodbye!", last="Done.")
    course = turns.course(NAMED, 3, right.recorder.transcript)
    assert course is not None
    assert [each["content"] for each in course.replies] == ["", "", "OFFER 437"]
