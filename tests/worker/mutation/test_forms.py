"""The forms in which an answer is tried, as prompts show them."""

from __future__ import annotations

import json

import pytest

from envyard.contract.code_checks.scoring_constants import ScoringConstants
from envyard.contract.code_checks.scoring_patterns import ScoringPattern
from envyard_runner.mutation.form_candidates import BARE, MAX_FORMS, asked_beyond_doubt, candidates
from envyard_runner.mutation.forms import Form


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        ("Answer in <answer>...</answer> tags.", "<answer>42</answer>"),
        ("Put the final answer within \\boxed{}.", "\\boxed{42}"),
        ("Solve it.\nAnswer:", "Answer: 42"),
        ("End with '#### ' and the number.", "#### 42"),
        ("End with a line `RESULT = [number]`.", "RESULT = 42"),
        ("End with a line 'Sum: [value] [unit]'.", "Sum: 42"),
        ("Give the last line as: The total is X.", "The total is 42"),
        ('Reply with JSON: {"total": 0}', '{"total": 42}'),
        ("Write it in a ```python code block.", "```python\n42\n```"),
        ("Decide, [[A]] or [[B]].", "[[42]]"),
        ("What is 40 plus 2?", "42"),
    ],
)
def test_the_form_that_a_prompt_names_comes_first(prompt: str, reply: str) -> None:
    assert candidates(["You are helpful.", prompt])[0].write("42") == reply


def test_the_bare_answer_and_a_usual_form_are_always_tried() -> None:
    every = (
        "<a> <b> <answer> \\boxed #### [[A]] ``` Answer: Result: " + '{"x": 1, "answer": 2} json'
    )
    for prompt in ("Add.", every):
        forms = candidates([prompt])
        assert BARE in forms
        assert len(forms) == len(set(forms)) <= MAX_FORMS
        assert len(forms) > forms.index(BARE) + 1


def test_other_tags_of_a_prompt_are_filled_before_the_answer() -> None:
    form = candidates(["<think>\n...\n</think>\n<answer>\n...\n</answer>"])[0]
    reply = form.write("7")
    assert reply.startswith("<think>\n")
    assert reply.endswith("</think>\n<answer>7</answer>")


def test_a_tag_around_long_data_is_no_field_of_the_reply() -> None:
    prompt = f"<passage>{'word ' * 50}</passage> Who wrote it?"
    assert not any("passage" in form.name for form in candidates([prompt]))


def test_json_has_all_keys_that_a_prompt_names_and_the_answer_as_number_and_as_text() -> None:
    prompt = 'Reply with a JSON object: {"reasoning": "...", "answer": "...", "confidence": 0.5}'
    number, text = candidates([prompt])[:2]
    assert json.loads(number.write("42")) | {"reasoning": ""} == {
        "reasoning": "", "answer": 42, "confidence": 0.5,
    }  # fmt: skip
    assert json.loads(text.write("42"))["answer"] == "42"
    assert json.loads(text.write('say "no"'))["answer"] == 'say "no"'
    assert json.loads(number.write('["a", "b"]'))["answer"] == ["a", "b"]


def test_keys_named_in_words_are_those_of_the_object() -> None:
    form = candidates(['Return JSON with the keys "reasoning" and "label".'])[0]
    assert json.loads(form.write("spam"))["label"] == "spam"


def test_a_list_is_written_with_commas_as_json_and_in_lines() -> None:
    replies = [
        form.write('["red", "blue"]') for form in candidates(["Use <answer>."], '["red", 1]')
    ]
    assert replies[:3] == [
        "<answer>red, blue</answer>",
        '<answer>["red", "blue"]</answer>',
        "<answer>red\nblue</answer>",
    ]


def test_several_fields_are_written_in_their_own_tags_or_as_they_are() -> None:
    answer = '{"name": "Al", "age": 3}'
    in_tags, bare = candidates(["Give <name>...</name> and <age>...</age>."], answer)[:2]
    assert in_tags.write(answer) == "<name>Al</name>\n<age>3</age>"
    assert bare.write(answer) == answer
    assert candidates(["Reply in JSON."], answer)[0] == BARE


def test_an_answer_that_has_the_named_form_already_is_first_given_as_it_is() -> None:
    assert candidates(["Use \\boxed{}."], "\\boxed{42}")[0] == BARE


def test_a_prompt_of_any_length_is_searched_quickly_and_at_both_ends() -> None:
    form = candidates(["<" * 100_000 + " Put it in \\boxed{}."])[0]
    assert form.write("1") == "\\boxed{1}"


@pytest.mark.parametrize(
    ("prompt", "answer", "reply"),
    [
        ("Name the code of the paint, such as #a0b1c2.", "00ff7f", "#00ff7f"),
        ("Reply with a price (e.g. $12.50).", "7.25", "$7.25"),
        ("Give the share, for example 12%.", "40", "40%"),
        ("Name the account, like @mara, and nothing else.", "joris", "@joris"),
        ("Write it as in this example: 'Total = 12 EUR'.", "7", "Total = 7 EUR"),
        ("Give the day in brackets, for example [12-05].", "03-11", "[03-11]"),
    ],
)
def test_the_form_of_an_example_is_tried(prompt: str, answer: str, reply: str) -> None:
    forms = candidates([prompt], answer)
    assert forms[0] == BARE
    assert forms[1].write(answer) == reply


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("Reply with a time like 12:30.", "07:45"),
        ("Animals such as (large) dogs bark. How many legs have they?", "4"),
        ("Reply with a number, for example 12.", "7"),
        ("Numbers like #4 are common. Who won?", "Ada Lovelace"),
        ("Which is like `a-b`?", "plain"),
    ],
)
def test_bare_examples_and_those_of_another_kind_add_no_form(prompt: str, answer: str) -> None:
    assert candidates([prompt], answer) == candidates(["Reply."], answer)


def test_the_first_of_several_accepted_answers_is_tried_alone() -> None:
    forms = candidates(["Put the name in <dish></dish>."], '["onion tart", "onion pie"]')
    assert "<dish>onion tart</dish>" in [
        form.write('["onion tart", "onion pie"]') for form in forms
    ]


def test_an_answer_that_is_the_object_itself_is_not_to_be_put_into_one() -> None:
    prompt = "Reply with one JSON object of the keys Anna and Ben."
    assert asked_beyond_doubt([prompt], '{"Anna": 60, "Ben": 71}') == []
    assert asked_beyond_doubt(["Reply with JSON that has the key answer."], "60") != []
    assert asked_beyond_doubt(["Reply with a JSON list of pairs."], "[[1, 4], [6, 9]]") == []
    keyed = ['Reply with JSON that has the key "answer".', 'Reply with JSON: {"answer": [1, 2]}']
    for prompt in keyed:
        assert asked_beyond_doubt([prompt], "[[1, 4], [6, 9]]") != []


@pytest.mark.parametrize(
    ("prompt", "label"),
    [
        ("End your reply with one line of the form `Total: 123.45`.", "Total: "),
        ("Reply, and end with a line `Quote: AMOUNT`, rounded.", "Quote: "),
        ('Write "Price = $12" in the last line.', "Price = "),
        (
            "After the second, answer with a last line\n`CLAIMS:` followed by all claims.",
            "CLAIMS: ",
        ),
        ("Answer the question. It stands behind `Text:` below.", None),
        ("The meter shows `Total: 123.45`. What is half of it?", None),
        ("End your reply with one line. The meter shows `Total: 123.45`.", None),
    ],
)
def test_a_quoted_line_with_a_value_names_its_label(prompt: str, label: str | None) -> None:
    named = {form.before for form in candidates([prompt], "7.50")} - {
        form.before for form in candidates([""], "7.50")
    }
    assert named == ({label} if label else set())


@pytest.mark.parametrize("answer", ["+6 -2 +3", "+6, -2, +3", '["+6", "-2", "+3"]', "+6\n-2\n+3"])
def test_an_answer_of_several_items_is_tried_one_item_a_turn(answer: str) -> None:
    forms = candidates(["A quiz. There are three questions."], answer)
    (form,) = [each for each in forms if each.layout == "turns"]
    assert [form.write(answer, turn=turn) for turn in range(4)] == ["+6", "-2", "+3", "+3"]
    assert form.name == "a, then b"
    tagged = candidates(["A quiz of three questions; use <answer>...</answer>."], answer)
    assert "<answer>-2</answer>" in [each.write(answer, turn=1) for each in tagged]


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [("Add them.", "3 4 5"), ("There are three questions.", "7"), ("Next?", "1 " * 40)],
)
def test_other_answers_have_no_items_for_turns(prompt: str, answer: str) -> None:
    assert not [form for form in candidates([prompt], answer) if form.layout == "turns"]


@pytest.mark.parametrize(
    ("prompt", "answer", "reply"),
    [
        ("How many? End with the line\nTotal: <number> kg", "412", "Total: 412 kg"),
        ("When? Finish with one line, in either form:\nClock: 15:20  or  Clock: 3:20 pm", "09:05",
         "Clock: 09:05"),
    ],
)  # fmt: skip
def test_a_line_of_its_own_that_the_prompt_asks_for_has_the_label(
    prompt: str, answer: str, reply: str
) -> None:
    assert reply in [form.write(answer) for form in candidates([prompt], answer)]


def test_a_line_of_data_has_no_label() -> None:
    prompt = "Name: Ada\nAge: 41\n\nWhich year? Reply with the year."
    assert "Name: 1983" not in [form.write("1983") for form in candidates([prompt], "1983")]


ORDERS = "After each reading answer with one order in the form [OPEN], [SHUT] or [HOLD]."


def test_items_in_brackets_are_given_one_a_turn() -> None:
    form = next(form for form in candidates([ORDERS], "OPEN HOLD SHUT") if form.layout == "turns")
    replies = [form.write("OPEN HOLD SHUT", turn=turn) for turn in range(3)]
    assert replies == ["[OPEN]", "[HOLD]", "[SHUT]"]


@pytest.mark.parametrize(
    ("prompt", "answer", "reply"),
    [
        ("End with a line:\nTEST n   tests a section\nDIG n    digs it up", "7", "DIG 7"),
        ("Ask, or name the culprit, as in `ACCUSE: Zora`. You accuse once.", "Iva", "ACCUSE: Iva"),
    ],
)
def test_a_command_holds_the_answer(prompt: str, answer: str, reply: str) -> None:
    assert reply in [form.write(answer) for form in candidates([prompt], answer)]


def test_lines_stand_in_the_tag_that_shows_their_labels() -> None:
    described = "the full name of the observer, as the log has it, with a space between both parts"
    prompt = f"Finish with:\n<form>\nobserver: {described}\nseconds: in all\n</form>\nOnce."
    answer = "observer: Ruta Kalnins\nseconds: 90"
    replies = [form.write(answer) for form in candidates([prompt], answer)]
    assert f"<form>\n{answer}\n</form>" in replies[:2]
    other = "telescope: Owl\nseconds: 90"
    assert Form("<form>\n", "\n</form>") not in candidates([prompt], other)


def test_forms_that_the_scoring_code_reads_are_tried() -> None:
    code = ScoringConstants(
        patterns=(ScoringPattern(r"^\W*sum total\W*:\s*(\d+) kg$"), ScoringPattern(r"(\d+)")),
        labels=("Final weight ->",),
    )
    replies = [form.write("12") for form in candidates(["How heavy are they?"], "12", code)]
    assert replies[:3] == ["12", "sum total: 12 kg", "Final weight -> 12"]
    known = candidates(["Reply with `Sum total: NUMBER`."], "12", code)
    assert len(known) == len({form.before.strip().casefold() for form in known})


def test_the_forms_that_prompts_name_stay_before_those_of_the_scoring_code() -> None:
    code = ScoringConstants(labels=("Sum ->", "Weight ->", "Total ->"))
    examples = "for example `w 1.5 g` or, for example, `v 2.5 l`"
    prompt = f"Give it to two decimals, {examples}. Reply with <answer>NUMBER</answer>."
    assert Form("<answer>", "</answer>") in candidates([prompt], "12.5", code)


def test_a_tag_may_be_named_before_it_shows_its_lines() -> None:
    prompt = "Use the <form> tag:\n<form>\nobserver: NAME\nseconds: in all\n</form>\nOnce."
    assert Form("<form>\n", "\n</form>") in candidates([prompt], "observer: Ruta\nseconds: 90")
