"""The probes are pure: the same call gets the same reply."""

import random
import re
from dataclasses import replace

import pytest

from envyard.contract.code_checks.scoring_constants import ScoringConstants
from envyard.contract.code_checks.scoring_patterns import ScoringPattern
from envyard.contract.probes import PROBES
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import REPLIES, NoReference, ProbeCall

USER = {"role": "user", "content": "hi"}


def ask(*messages: dict[str, object], seed: int = 1, reference: object = None) -> ProbeCall:
    return ProbeCall(list(messages), [], reference, random.Random(seed), 64)  # type: ignore[arg-type]


def test_silent_replies_with_nothing() -> None:
    assert REPLIES["silent"](ask({"role": "user", "content": "hi"}))["content"] == ""


def test_parrot_repeats_the_last_user_message_and_not_a_later_tool_result() -> None:
    reply = REPLIES["parrot"](
        ask(
            {"role": "user", "content": "first"},
            {
                "role": "user",
                "content": [{"type": "text", "text": "second"}, {"type": "image_url"}],
            },
            {"role": "tool", "content": "42"},
        )
    )
    assert reply == {"role": "assistant", "content": "second"}


def test_parrot_is_cut_where_a_model_would_be() -> None:
    assert len(REPLIES["parrot"](ask({"role": "user", "content": "x" * 9999}))["content"]) == 256


def test_parrot_without_a_user_message_replies_with_nothing() -> None:
    assert REPLIES["parrot"](ask({"role": "system", "content": "hi"}))["content"] == ""


def test_babble_is_long_odd_and_the_same_for_the_same_seed() -> None:
    first, again, other = (REPLIES["babble"](ask(seed=seed))["content"] for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == 256
    assert not first.isascii()


def test_babble_is_text_that_utf_8_can_carry() -> None:
    for seed in range(50):
        REPLIES["babble"](ask(seed=seed))["content"].encode()


@pytest.mark.parametrize("policy", ["oracle", "swapped"])
def test_oracle_and_swapped_repeat_the_reference(policy: str) -> None:
    reference = {"role": "assistant", "content": "42", "tool_calls": [{"id": "a"}]}
    assert REPLIES[policy](ask(reference=reference)) == reference
    with pytest.raises(NoReference):
        REPLIES[policy](ask())


@pytest.mark.parametrize("policy", ["format", "all_options"])
def test_probes_of_the_references_form_change_its_text_and_call_no_tools(policy: str) -> None:
    """What the oracle does with tools is work: the example bug-fix was accused of paying for it."""
    reference = {"role": "assistant", "content": "<answer>42</answer>", "tool_calls": [{"id": "a"}]}
    reply = REPLIES[policy](ask(reference=reference))
    assert reply["content"] != reference["content"]
    assert "<answer>64</answer>" in reply["content"]
    assert "tool_calls" not in reply
    with pytest.raises(NoReference):
        REPLIES[policy](ask())


def test_broken_replies_differ_by_call_and_fit_the_limit() -> None:
    replies = {str(REPLIES["malformed"](ask(seed=seed))["content"]) for seed in range(40)}
    assert len(replies) > 5
    assert max(map(len, replies)) <= 256


@pytest.mark.parametrize(
    ("other", "second"),
    [
        ("<guess>red, blue, green</guess>", "<guess>red, blue</guess>"),
        ("Code: 4071", "Code: 407"),
        ("Move: north", ""),
    ],
)
def test_the_second_broken_reply_is_another_answer_without_its_end(other: str, second: str) -> None:
    right, replied = {"role": "assistant", "content": "Code: 1"}, {"role": "assistant"}
    call = replace(ask(replied), right=right, other={"role": "assistant", "content": other})
    reply = str(REPLIES["malformed"](call)["content"])
    assert reply == second or (not second and reply not in (other, other[:-1]))


def test_a_division_by_zero_comes_before_an_answer_without_its_end() -> None:
    prompt = {"role": "user", "content": "Make 13 from 2, 3, 4 and 6, as in `(6 / 2) * 3 + 4`."}
    call = ask(prompt, {"role": "assistant", "content": "x"})
    answers = {"role": "assistant", "content": "6 * 4"}
    reply = str(REPLIES["malformed"](replace(call, right=answers, other=answers))["content"])
    assert reply == "(6 / 0) * 3 + 4"


def test_plain_takes_whatever_a_content_may_be() -> None:
    assert [plain_text(None), plain_text(3), plain_text([1, {"text": 5}, {"text": "a"}])] == [
        "",
        "",
        "a",
    ]


def test_the_runner_replies_for_exactly_the_probes_of_the_contract() -> None:
    assert set(REPLIES) == set(PROBES)


@pytest.mark.parametrize("policy", ["format", "all_options"])
def test_wrong_answers_have_the_characters_of_the_known_answers(policy: str) -> None:
    """A sound verifier that reads [01]+ sees one answer where the wrong have other digits."""
    reference = {"role": "assistant", "content": "<answer>101</answer>"}
    call = replace(ask(reference=reference), answers=("110", "1011", "111"))
    reply = REPLIES[policy](call)["content"]
    assert re.fullmatch(r"(<answer>1[01]{2}</answer>\n?)+", reply)
    assert reply.count("101") == (policy == "all_options")


def test_keywords_are_the_words_of_the_scoring_code_that_are_no_answers() -> None:
    constants = ScoringConstants(words=("therefore", "<think>", "Paris", "Rome"))
    right = {"role": "assistant", "content": "Answer: Paris"}
    given = replace(ask(USER), right=right, answers=("Rome",), constants=constants)
    assert REPLIES["keywords"](given)["content"] == "therefore <think>"
    assert REPLIES["keywords"](ask(USER))["content"] == ""


def test_what_the_scoring_code_counts_is_repeated_in_the_form_that_it_reads() -> None:
    patterns = (ScoringPattern(r"<do>\s*(.*?)\s*</do>"),)
    constants = ScoringConstants(words=("... DONE",), patterns=patterns, counted=("... DONE",))
    first = replace(ask(USER), constants=constants)
    assert REPLIES["keywords"](first)["content"] == "... DONE"
    reply = REPLIES["keywords"](replace(first, task=1))["content"]
    assert (reply[:4], reply[-5:], reply.count("... DONE")) == ("<do>", "</do>", 10)
    known = replace(first, task=1, answers=("... done",))
    assert REPLIES["keywords"](known)["content"] == ""


def test_constants_of_the_scoring_code_are_given_in_the_form_of_the_reference() -> None:
    answer = {"role": "assistant", "content": "Answer: 7"}
    constants = ScoringConstants(compared=("1000", "7", "12.5"))
    given = replace(ask(USER, reference=answer), constants=constants)
    replies = [REPLIES["constant"](replace(given, task=task))["content"] for task in range(3)]
    assert replies[1:] == ["Answer: 12.5", "Answer: 1000"]
