"""Refusals of malformed replies that show what the reference finds in several turns."""

from __future__ import annotations

from typing import Any

import pytest

from envyard_runner.conversation_checks.refused_replies import RefusedReplies
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record

DEPTHS, WORDS = ("159", "204", "77", "131"), ("anchor", "barrel", "candle", "dagger")


def played(policy: str, task: int, prompt: str, *turns: tuple[str, str]) -> Record:
    """A rollout of replies, each with the message behind it."""
    record = Record(f"{policy}/{task}/0", policy)
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    for reply, answered in turns:
        given = Reply(content=[reply])
        record.add(Call([*messages], [], False, False, {}), given, 0.1)
        messages += [given.message, {"role": "user", "content": answered}]
    return record


def shown(
    refusal: str,
    answers: tuple[str, ...] = DEPTHS,
    *,
    prompt: str = "Find it; 20 to 260.",
    hint: str = "Deeper.",
) -> dict[str, str]:
    """What is found where replies that earn nothing get this refusal, with %s for the answer."""
    refused = RefusedReplies()
    for task, answer in enumerate(answers):
        message = refusal.replace("%s", answer)
        refused.add(played("silent", task, prompt, ("", message), ("", message)), "")
        solved = (("Set: 140", hint.replace("%s", answer)), (f"Set: {answer}", "Right."))
        refused.add(played("oracle", task, prompt, *solved), "")
    return refused.excerpts


@pytest.mark.parametrize(
    ("refusal", "answers"),
    [
        ("No line `Set: N`. {'tries': 1, 'settings': [], 'wish': %s}", DEPTHS),
        ("Cannot read that: game(low=20, wish=%s, tries=3)", DEPTHS),
        ("Not a word. {'word': '%s', 'tries': 1}", WORDS),
        ("That is not a word; the secret is %s.", WORDS),
    ],
)
def test_a_refusal_with_the_answer_is_named(refusal: str, answers: tuple[str, ...]) -> None:
    excerpts = shown(refusal, answers)
    assert sorted(excerpts) == [f"silent/{task}/0" for task in range(4)]
    assert all(answers[int(name.split("/")[1])] in text for name, text in excerpts.items())


@pytest.mark.parametrize(
    ("refusal", "answers"),
    [
        ("No line `Set: N`. {'tries': 1, 'low': 20}", DEPTHS),
        ("It lies between 20 and %s.", DEPTHS),  # no refusal
        ("Not a word. Words are anchor, barrel, candle, dagger.", WORDS),
        ("Not a word. Take %s, velvet or pepper.", WORDS),
        ("Not a word.", WORDS),
    ],
)
def test_other_messages_show_nothing(refusal: str, answers: tuple[str, ...]) -> None:
    assert shown(refusal, answers) == {}


def test_what_the_prompt_or_the_game_names_is_no_secret() -> None:
    leak = "Not a word. {'word': '%s', 'tries': 1}"
    assert shown(leak, WORDS, prompt="One of anchor, barrel, candle and dagger.") == {}
    assert shown(leak, WORDS, hint="The next is %s.") == {}


def test_the_refusal_of_the_second_reply_is_read_and_a_reference_may_win_at_once() -> None:
    codes = ("red blue red green", "white red red blue", "blue blue green red")
    refused = RefusedReplies()
    for task, code in enumerate(codes):
        message = f"That guess does not work: 3 pegs with {code} (4 pegs)."
        refusal = "Please give one guess."
        turns = (("{{", refusal), ("<guess>white blue red</guess>", message), ("{{", refusal))
        refused.add(played("malformed", task, "Break the code.", *turns), "")
        won = (f"<guess>{code}</guess>", "")
        refused.add(played("oracle", task, "Break the code.", won), "")
    assert sorted(refused.excerpts) == [f"malformed/{task}/0" for task in range(3)]
