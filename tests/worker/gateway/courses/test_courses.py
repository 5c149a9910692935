"""Other courses of a paid rollout: which replies a mutant gives in the place of the recorded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.early_ends import leaving_word
from envyard_runner.gateway.courses.last_reply_alone import are_only_claimed
from envyard_runner.gateway.courses.registry import COURSES, judged_tries
from envyard_runner.gateway.courses.replies_in_turn import OtherCourse, written
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record

ZONES = (("A", 500), ("C", 320), ("E", 410))
CHECK = {
    "type": "function",
    "function": {"name": "check", "parameters": {"properties": {"moves": {"type": "integer"}}}},
}


def tool_call(name: str, **arguments: Any) -> dict[str, Any]:
    described = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call_{name}", "type": "function", "function": described}


def played(
    prompt: str,
    *replies: str | dict[str, Any],
    tools: Sequence[dict[str, Any]] = (),
    result: str = "done",
) -> Transcript:
    """A rollout of these replies: texts, or calls of a tool that returns the result."""
    record = Record("oracle/0/0", "oracle")
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    for reply in replies:
        calls = {} if isinstance(reply, str) else {0: reply}
        text = reply if isinstance(reply, str) else ""
        given = Reply(content=[text], tool_calls=calls, finish_reason="stop")
        record.add(Call([*messages], [*tools], False, False, {}), given, 0.1)
        messages.append(given.message)
        messages.append(
            {"role": "user", "content": "next"}
            if isinstance(reply, str)
            else {"role": "tool", "tool_call_id": reply["id"], "content": result}
        )
    return record.recorder.transcript


def given(course: str, transcript: Transcript, *others: str) -> list[Any]:
    """The texts of the course's replies, and names and arguments of its calls."""
    changed = COURSES[course](transcript, others)
    assert changed is not None
    rows: list[Any] = []
    for reply in changed.replies:
        functions = [call["function"] for call in reply.get("tool_calls") or ()]
        rows += [(each["name"], *json.loads(each["arguments"]).values()) for each in functions]
        rows += [reply["content"]] if not functions else []
    return rows


def test_a_step_that_changes_something_is_left_out() -> None:
    book, pay = tool_call("book_room", day=3), tool_call("pay", euros=70)
    look = tool_call("list_rooms")
    replies = given("left_out", played("Book and pay.", look, book, pay, "Done."))
    assert replies in (
        [("list_rooms",), ("book_room", 3), "Done."],
        [("list_rooms",), ("pay", 70), "Done."],
    )


@pytest.mark.parametrize("name", ["list_rooms", "settings", "add", "multiply"])
def test_a_step_that_only_reads_or_adds_numbers_is_not_left_out(name: str) -> None:
    transcript = played("How many?", tool_call(name, a=1, b=2), "3")
    assert COURSES["left_out"](transcript, ()) is None


EXAM = "Six questions. If you want to leave the exam, write FINISHED alone on a line."


def test_a_rollout_may_end_early_with_the_words_that_the_prompt_names() -> None:
    transcript = played(EXAM, "Answer: 1", "Answer: 2", "Answer: 3")
    assert given("leaves", transcript) == ["Answer: 1", "FINISHED"]
    assert given("declines", transcript) == ["FINISHED"]


def test_a_rollout_may_end_early_with_the_last_reply_that_the_prompt_explains() -> None:
    rules = "Each turn is one line:\nCARRY a, b  row across\nDONE  finish the job at the lighthouse"
    transcript = played(rules, "CARRY cat", "CARRY nothing", "DONE")
    assert given("declines", transcript) == ["DONE"]
    assert given("leaves", transcript) == ["CARRY cat", "DONE"]
    for prompt, last in (("Row across.", "DONE"), (rules, "CARRY dog"), (rules, "JOB DONE")):
        other = played(prompt, "CARRY cat", "CARRY nothing", last)
        assert COURSES["declines"](other, ()) is None
    again = played(rules, "DONE", "CARRY nothing", "DONE")
    assert COURSES["leaves"](again, ()) is None


def test_two_replies_are_too_few_to_end_early() -> None:
    transcript = played(EXAM, "Answer: 1", "Answer: 2")
    assert COURSES["leaves"](transcript, ()) is None
    assert COURSES["declines"](transcript, ()) is None


def test_a_game_of_turns_may_be_given_up_at_once() -> None:
    rules = "In each turn dig one cell. If you want to end the search, write <stop/>."
    assert given("declines", played(rules, "<dig>C4</dig>")) == ["<stop/>"]
    once = "Dig one cell. If you want to end the search, write <stop/>."
    assert COURSES["declines"](played(once, "<dig>C4</dig>"), ()) is None
    assert COURSES["declines"](played(rules, "There is none: <stop/>"), ()) is None
    ended = "In each turn dig one cell. To end, write <done/>."
    assert COURSES["declines"](played(ended, "<dig>C4</dig>"), ()) is None


def test_the_first_move_is_repeated_where_moves_differ() -> None:
    assert given("repeats", played("Your move?", "a1", "b2", "c3")) == ["a1"]
    assert COURSES["repeats"](played("Your move?", "a1", "a1", "a1"), ()) is None
    assert COURSES["repeats"](played("Your move?", tool_call("look"), "b2", "c3"), ()) is None


@pytest.mark.parametrize(
    ("prompt", "word"),
    [
        (EXAM, "FINISHED"),
        ("You may stop at any time: reply with `I pass`.", "I pass"),
        ('Say "enough" to quit.', "enough"),
        ("To give up, just say the word GIVEUP.", "GIVEUP"),
        ("If you want to end the search without a find, write <stop/>.", "<stop/>"),
        ("You may give up with `<quit/>`: write `<quit/>` to stop.", "<quit/>"),
        ("Guess in this form: Guess: N. The game ends after ten guesses.", ""),
        ("Finish with a line; write `Answer: ...`.", ""),
        ("Answer `yes` or `no`. The clock stops later.", ""),
    ],
)
def test_the_words_are_those_of_a_sentence_about_ending(prompt: str, word: str) -> None:
    assert leaving_word(prompt) == word


def test_wrong_answers_are_tried_before_the_right_one_and_the_recorded_replies() -> None:
    transcript = played("How many moves?", "Moves: 4", tools=[CHECK])
    assert given("tried", transcript, "2", "4", "5", "2", "6") == [
        ("check", 2), ("check", 5), ("check", 6), ("check", 4), "Moves: 4",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "fields", [{"a": {"type": "integer"}, "b": {"type": "integer"}}, {"path": {"type": "array"}}]
)
def test_only_tools_that_take_one_answer_are_tried(fields: dict[str, Any]) -> None:
    tool = {"function": {"name": "check", "parameters": {"properties": fields}}}
    transcript = played("How many moves?", "Moves: 4", tools=[tool])
    assert COURSES["tried"](transcript, ("2", "5", "6")) is None


@pytest.mark.parametrize(
    ("name", "parameter", "tried"),
    [
        ("check", "moves", True),
        ("runner_check", "moves", True),
        ("submit", "code", True),
        ("query", "text", False),
        ("find", "word", False),
        ("lookup_card", "person", False),
        ("ask", "sql", False),
        ("solve", "expression", False),
        ("calculator", "input", False),
    ],
)
def test_tools_that_look_up_or_execute_something_get_no_wrong_answers(
    name: str, parameter: str, tried: bool
) -> None:
    parameters = {"properties": {parameter: {"type": "string"}}}
    tool = {"function": {"name": name, "parameters": parameters}}
    transcript = played("How many moves?", "Moves: 4", tools=[tool])
    assert (COURSES["tried"](transcript, ("2", "5", "6")) is not None) == tried


@pytest.mark.parametrize(
    ("results", "judged"),
    [
        (("wrong", "wrong", "wrong", "correct"), True),
        (("2 is wrong", "5 is wrong", "6 is wrong", "4 is right"), True),
        (("lower", "higher", "higher", "correct"), False),
        (("not a word", "not a word", "not a word", "not a word"), False),
        (("2", "5", "6", "4"), False),
        (("", "", "", "correct"), False),
        ((*("error: no relay '2'", "error: no relay '5'", "error: no relay '6'"), "live"), False),
        ((*("no such key",) * 3, "weight 12"), False),
        ((*('error: near "...": syntax error',) * 3, 'error: near "Jude": syntax error'), False),
        ((*("SyntaxError: bad token",) * 3, "TypeError: no number"), False),
        ((*("has errors",) * 3, "no error"), True),
        (("2: code 4", "5: code 4", "6: code 4", "4: code 4"), False),
    ],
)
def test_a_tool_judges_where_all_wrong_ones_get_one_result(
    results: tuple[str, ...], judged: bool
) -> None:
    course = COURSES["tried"](played("How?", "Moves: 4", tools=[CHECK]), ("2", "5", "6"))
    assert course is not None
    replies = OtherCourse(course.replies)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "How?"}]
    messages.append(replies.answer(Call(messages, [CHECK], False, False, {})).message)
    for call, text in zip(messages[-1]["tool_calls"], results, strict=True):
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    assert replies.answer(Call(messages, [CHECK], False, False, {})).content == ["Moves: 4"]
    assert bool(judged_tries(replies.messages)) == judged


@pytest.mark.parametrize(
    ("prompt", "judged"), [("Call `check`: is mine lower?", False), ("", True)]
)
def test_a_search_that_the_prompt_announces_judges_no_answer(prompt: str, *, judged: bool) -> None:
    transcript = played("How many?", "Moves: 4", tools=[CHECK])
    course = COURSES["tried"](transcript, ["2", "5", "6"])
    assert course is not None
    calls = course.replies[0]["tool_calls"]
    messages = [{"role": "user", "content": prompt}, course.replies[0]]
    for call in calls:
        text = "equal" if '"moves": 4' in call["function"]["arguments"] else "lower"
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    assert bool(judged_tries(messages)) == judged


@pytest.mark.parametrize(
    "calls", [7, ["x"], [{"id": "call_tried0"}], [{"id": [], "function": 7}] * 4]
)
def test_conversations_of_any_shape_show_no_verdict(calls: Any) -> None:
    reply = {"role": "assistant", "content": None, "tool_calls": calls}
    result = {"role": "tool", "tool_call_id": [7], "content": [{"type": "text"}]}
    assert judged_tries([reply, result]) == ""


def test_the_last_reply_is_given_alone_where_a_result_holds_its_answer() -> None:
    look = tool_call("card", person="Ada")
    transcript = played("Which town?", look, "Town: Vexley", result="Ada worked in Vexley.")
    assert given("alone", transcript) == ["Town: Vexley"]


@pytest.mark.parametrize(
    ("replies", "result"),
    [
        ((tool_call("card", person="Ada"), "Town: Vexley"), "Ada worked in Vexleyton."),
        ((tool_call("submit", town="Vexley"), "Town: Vexley"), "Vexley it is"),
        ((tool_call("card"), "I think of Vexley.", "Town: Vexley"), "in Vexley"),
        ((tool_call("card"), "Answer: 7"), "7 cards"),
        ((tool_call("card"), "yes"), "yes"),
        ((tool_call("card"), tool_call("close")), "done"),
        (("Town: Vexley",), ""),
    ],
)
def test_a_last_reply_whose_answer_no_result_or_a_call_holds_is_not_given_alone(
    replies: tuple[str | dict[str, Any], ...], result: str
) -> None:
    assert COURSES["alone"](played("Which town?", *replies, result=result), ()) is None


def test_settings_are_made_in_reverse_order_where_the_prompt_speaks_of_none() -> None:
    look = tool_call("read_panel")
    zones = [tool_call("set_zone", zone=zone, degrees=degrees) for zone, degrees in ZONES]
    replies = given("call_order", played("Set all zones.", look, *zones, "Done."))
    assert replies == [
        ("read_panel",), *(("set_zone", *each) for each in ZONES[::-1]), "Done.",
    ]  # fmt: skip
    for prompt in ("Set the zones in this order.", "Set zone A first."):
        assert COURSES["call_order"](played(prompt, *zones, "Done."), ()) is None


def test_settings_of_one_thing_twice_or_of_several_kinds_keep_their_order() -> None:
    again = [tool_call("set_zone", zone="A", degrees=degrees) for degrees in (1, 2)]
    kinds = [tool_call("set_zone", zone="A", degrees=1), tool_call("mark", zone="B", degrees=1)]
    moves = [tool_call("move", to=place) for place in "AB"]
    turns = [tool_call("turn", direction=side) for side in ("left", "right")]
    for calls in (again, kinds, moves, turns):
        assert COURSES["call_order"](played("Do it.", *calls, "Done."), ()) is None


@pytest.mark.parametrize("word", ["<accept/>", "ACCEPT", "<deal></deal>"])
def test_the_other_sides_price_is_accepted_behind_a_first_offer(word: str) -> None:
    prompt = f"<offer>N</offer> offers N coins; {word} takes the seller's price."
    bargain = played(prompt, "<offer>40</offer>", "<offer>55</offer>", "<offer>60</offer>")
    assert given("accepts", bargain) == ["<offer>40</offer>", word]
    single = played(prompt, "<offer>60</offer>")
    assert given("accepts", single) == ["<offer>1</offer>", word]
    assert COURSES["accepts"](played("Offer a price.", "40", "50"), ()) is None
    assert COURSES["accepts"](played(prompt, word), ()) is None


def test_the_middle_one_of_the_answers_stands_for_the_right_one() -> None:
    others = ("290.0", "301.2", "316", "330.5", "341.0")
    heat = played("How warm is it?", "<kelvin>310.4</kelvin>")
    assert given("middle", heat, *others) == ["<kelvin>316.0</kelvin>"]
    assert COURSES["middle"](heat, others[:3]) is None
    assert COURSES["middle"](heat, (*others, "none")) is None
    assert COURSES["middle"](played("How warm is it?", "<kelvin>314.9</kelvin>"), others) is None
    assert COURSES["middle"](played("Who is it?", "Anna"), others) is None


@pytest.mark.parametrize(
    "function", [{}, {"name": "set_zone"}, {"name": "set_zone", "arguments": "[[[["}, {"name": 7}]
)
def test_calls_of_any_shape_keep_their_order(function: dict[str, Any]) -> None:
    calls = [{"id": f"call_{at}", "type": "function", "function": function} for at in range(2)]
    assert COURSES["call_order"](played("Set all.", *calls, "Done."), ()) is None


COLOURS = "Each peg has one of these colours: Red, Green, Blue, Black. Guess the row in <guess>."
FREE = f"{COLOURS} Write the colours in capitals or not."


@pytest.mark.parametrize(
    ("prompt", "replies", "after"),
    [
        (COLOURS, ("<guess>red blue</guess>",), ["<guess>Red Blue</guess>"]),
        (FREE, ("green, red", "red, red"), ["Green, Red", "Red, Red"]),
        ("Guess a word of five letters. Case does not matter.", ("crane", "pilot"),
         ["CRANE", "PILOT"]),
        ("Guess a word, in upper or lower case.", ("CRANE", "PILOT"), ["crane", "pilot"]),
        (f"{FREE} As in <guess>red blue</guess>.", ("<guess>red blue</guess>",),
         ["<guess>RED BLUE</guess>"]),
    ],
)  # fmt: skip
def test_all_replies_are_in_another_case(
    prompt: str, replies: tuple[str, ...], after: list[str]
) -> None:
    assert given("letter_case", played(prompt, *replies)) == after


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        (f"{COLOURS} Use lower case.", "red blue"),
        (f"{COLOURS} As in <guess>green black</guess>.", "red blue"),
        (COLOURS, "red pink"),
        ("Guess a word of five letters.", "crane"),
        ("Guess a word in lower case; in hints, case does not matter.", "crane"),
        ("Is the first letter in upper or lower case? Answer with one word.", "lower"),
        ("The search is case-insensitive." + " It reads pages." * 20, "crane"),
        ("Sort the words; case does not matter. Reply with them.", "ant bee"),
        ("Answer, in capitals or not: where is room 7?", "B 7"),
    ],
)
def test_where_the_case_may_matter_it_stays(prompt: str, reply: str) -> None:
    assert COURSES["letter_case"](played(prompt, reply), ()) is None


def test_calls_are_claimed_in_the_last_reply_or_left_out() -> None:
    look, other = tool_call("sheet", sheet_id="H-961"), tool_call("sheet", sheet_id="H-603")
    transcript = played("Consult each.", look, other, "Answer: H-603")
    assert given("uncalled", transcript) == ["Answer: H-603"]
    assert given("claimed", transcript) == ['sheet("H-961")\nsheet("H-603")\nAnswer: H-603']
    silent = played("Consult each.", "Answer: H-603")
    ends_with_call = played("Consult each.", look)
    for course in ("uncalled", "claimed"):
        assert COURSES[course](silent, ()) is None
        assert COURSES[course](ends_with_call, ()) is None


def test_calls_that_an_environment_reads_from_the_text_are_made() -> None:
    look = tool_call("sheet", sheet_id="H-961")
    transcript = played("Consult it.", look, "Answer: H-603", result="yield 71")
    asked = {"role": "user", "content": "Consult it: the yield 71 is one."}
    said = {"role": "assistant", "content": 'sheet("H-961")'}
    assert are_only_claimed(transcript, [asked])
    assert are_only_claimed(transcript, [asked, said, {"role": "user", "content": "Go on."}])
    made = {"role": "user", "content": "sheet returned: yield 71"}
    assert not are_only_claimed(transcript, [asked, said, made])


def test_odd_calls_are_written_too() -> None:
    assert written({"function": {"arguments": "{}"}}) == "None()"
    assert written({"function": {"name": "f", "arguments": "[" * 100_000}}) == "f()"


def test_the_last_number_is_written_in_the_form_that_a_prompt_or_tools_show() -> None:
    look_up = tool_call("rate", route="Genoa-Basel")
    prompt = "Ask the tools. Reply with the amount written as the tools write theirs."
    transcript = played(prompt, look_up, "Quote: 3284.50 EUR", result="1,042.50 EUR")
    assert given("wanted_form", transcript)[-1] == "Quote: 3,284.50 EUR"
    plain = played(prompt, look_up, "Quote: 3284.50 EUR", result="1042.50 EUR")
    assert COURSES["wanted_form"](plain, ()) is None


def test_the_number_of_a_submitting_call_is_written_so_too() -> None:
    submit = tool_call("submit", amount="3284.50")
    prompt = "Submit the amount in the form 1,000.25."
    changed = given("wanted_form", played(prompt, submit, "It is done."))
    assert changed == [("submit", "3,284.50"), "It is done."]
    for other in (tool_call("get_price", amount="3284.50"), tool_call("submit", amount=3284.5)):
        assert COURSES["wanted_form"](played(prompt, other, "It is done."), ()) is None
