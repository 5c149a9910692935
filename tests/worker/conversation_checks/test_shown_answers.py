"""Messages that show the answer to a policy that does no work."""

from __future__ import annotations

from envyard_runner.conversation_checks.shown_answers import ShownAnswers
from envyard_runner.execution.shown_answers import leak_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record

ERROR = "the lock rejects 'x': cannot align it with 'RGBY'"


def played(
    policy: str, prompt: str, reply: str, answer_to_it: str, *, task: int = 0, calls: int = 2
) -> Record:
    """A rollout of two turns: `answer_to_it` is what the environment sent between them."""
    record = Record(f"{policy}/{task}/0", policy)
    first = [{"role": "user", "content": prompt}]
    between = [{"role": "assistant", "content": reply}, {"role": "user", "content": answer_to_it}]
    for messages in (first, first + between)[:calls]:
        call = Call(messages, [], False, False, {})
        record.add(call, Reply(content=[reply], tool_calls={}, finish_reason="stop"), 0.1)
    return record


def shown(record: Record, reference: str) -> str:
    """The excerpt of one rollout; empty where it shows no answer."""
    answers = ShownAnswers()
    answers.add(record, reference)
    return answers.excerpts.get(record.rollout, "")


def test_an_error_message_that_prints_the_secret_is_shown() -> None:
    for policy in ("silent", "malformed", "swapped"):
        assert shown(played(policy, "Guess.", "x", ERROR), "RGBY") == ERROR
    assert shown(played("silent", "Guess.", "", ERROR), "<answer>rgby</answer>") == ERROR


def test_what_the_policy_knew_or_worked_for_is_not_shown() -> None:
    assert not shown(played("silent", "RGBY or BYRG?", "x", ERROR), "RGBY")
    assert not shown(played("copy", "Guess.", "RGBY", ERROR), "RGBY")
    assert not shown(played("oracle", "Guess.", "x", ERROR), "RGBY")
    assert not shown(played("snoop", "Guess.", "x", ERROR), "RGBY")  # its tools read files
    assert not shown(played("silent", "Guess.", "x", "Not between 12 and 100."), "12")
    assert not shown(played("silent", "Guess.", "x", "false; RGBYO"), "RGBY")
    assert not shown(played("silent", "Guess.", "x", "It is false."), "false")
    assert not shown(played("silent", "Guess.", "x", "anything"), "")


def test_a_secret_that_only_oracle_knows_is_searched_for_once_it_has_replied() -> None:
    answers = ShownAnswers()
    other = "no code: Game(secret='4312')"
    answers.add(played("silent", "Guess.", "", "no code: Game(secret='1526')", task=0), "")
    answers.add(played("silent", "Guess.", "", other, task=1), "")
    assert answers.excerpts == {}
    for task, code in enumerate(("1526", "4312")):
        answers.add(played("oracle", "Guess.", f"<code>{code}</code>", "", task=task, calls=1), "")
    assert [*answers.excerpts] == ["silent/0/0", "silent/1/0"]
    assert answers.excerpts["silent/1/0"] == other


def test_an_answer_field_that_the_reference_submits_by_a_tool_is_searched_for() -> None:
    answers, unknown = ShownAnswers(), ShownAnswers()
    for task, code in enumerate(("1526", "4312")):
        shown = played("silent", "Open it.", "", f"not {code}; use the tool", task=task)
        solved = played("oracle", "Open it.", "Done.", "", task=task, calls=1)
        call = {"id": "a", "function": {"name": "enter", "arguments": f'{{"code": "{code}"}}'}}
        solved.recorder.transcript.nodes[-1].message["tool_calls"] = [call]
        for each, field in ((answers, code), (unknown, "")):
            each.add(shown, "", field)
            each.add(solved, "", field)
    assert [*answers.excerpts] == ["silent/0/0", "silent/1/0"]
    assert unknown.excerpts == {}


def test_a_list_of_all_options_and_the_next_move_of_a_game_show_no_answer() -> None:
    options, moves = ShownAnswers(), ShownAnswers()
    for task, word in enumerate(("north", "south")):
        options.add(played("silent", "Walk.", "", "Say north or south.", task=task), "")
        options.add(played("oracle", "Walk.", word, "", task=task, calls=1), "")
        moves.add(played("silent", "Play.", "", f"You may play {word}.", task=task), "")
        moves.add(played("oracle", "Play.", word, "You may play on.", task=task), "")
    assert options.excerpts == moves.excerpts == {}


def test_the_number_that_the_oracle_gives_last_is_an_answer_if_no_message_has_it() -> None:
    error, given = "Division by zero: 1526 % 0", ShownAnswers()
    computed = ShownAnswers()
    for task, code in enumerate(("1526", "4312")):
        message = error.replace("1526", code)
        computed.add(played("malformed", "Guess.", "x", message, task=task), "")
        computed.add(played("oracle", "Guess.", f"GUESS: {code}", "No.", task=task), "")
        given.add(played("malformed", "Guess.", "x", message, task=task), "")
        given.add(played("oracle", "Guess.", f"GUESS: {code}", f"Read {code}.", task=task), "")
    assert [*computed.excerpts] == ["malformed/0/0", "malformed/1/0"]
    assert given.excerpts == {}


def short_numbers(prompt: str, *, field: bool) -> list[str]:
    """The rollouts of five tasks of two turns whose second message has their number."""
    answers = ShownAnswers()
    for task in range(5):
        number, question = str(31 + 7 * task), prompt.format(task + 2)
        message, known = f"End with a line such as `Seats: {number}`.", number if field else ""
        answers.add(played("silent", question, "", message, task=task), known)
        record = played("oracle", question, "I multiply.", message, task=task)
        record.recorder.transcript.nodes[-1].message["content"] = f"Seats: {number}"
        answers.add(record, known)
    return [*answers.excerpts]


def test_a_short_number_that_prompts_let_compute_is_no_example() -> None:
    question = (
        "There are {} rows of 9 seats. How many seats are that? First say how you will count."
    )
    repeated = "I tell you a number from 1 to {} in words, and you repeat it. Greet me first."
    assert len(short_numbers(question, field=True)) == 5
    assert len(short_numbers(question, field=False)) == 5
    assert short_numbers("How many seats are in the hall {}?", field=False) == []
    assert short_numbers(repeated, field=False) == short_numbers(repeated, field=True) == []


def test_two_tasks_that_show_their_answers_warn() -> None:
    excerpts = {"silent/0/0": ERROR, "parrot/0/0": ERROR}
    assert not list(leak_findings(excerpts))
    (finding,) = leak_findings(excerpts | {"silent/3/0": "the code was GGGG"})
    assert (finding.code, finding.severity) == ("card.leaks", "warning")
    assert "3 rollouts: parrot/0/0, silent/0/0, silent/3/0" in finding.message
    assert finding.where == "parrot/0/0"


def candidates(said: str, *, reply: str = "x") -> list[str]:
    """The rollouts of three tasks that show their answer: each lists the words of all and sends
    `said` for its own."""
    words = ("lemon", "piano", "river")
    answers = ShownAnswers()
    for task, word in enumerate(words):
        record = played(
            "silent", f"One of {', '.join(words)}.", reply, said.format(word), task=task
        )
        answers.add(record, word)
    return sorted(answers.excerpts)


def test_the_only_candidate_that_a_later_message_names_is_shown() -> None:
    shown_in = ["silent/0/0", "silent/1/0", "silent/2/0"]
    assert candidates("I could not read that. State: Game(word={!r})") == shown_in
    assert candidates("Not one of lemon, piano, river.") == []
    assert candidates("I could not read that.") == []
    assert candidates("{} is no guess.", reply="lemon") == ["silent/1/0", "silent/2/0"]


def short(*, tasks: int = 5, message: str = "No. (My number is {}.)", answers: bool = True) -> int:
    """How many rollouts are shown a number of two digits."""
    read = ShownAnswers()
    for task in range(tasks):
        number = 16 + 7 * task
        for policy in ("silent", "parrot"):
            record = played(policy, "Guess 1 to 60.", "", message.format(number), task=task)
            read.add(record, "")
        if answers:
            read.add(played("oracle", "Guess 1 to 60.", f"{number}", "", task=task, calls=1), "")
    return len(read.excerpts)


def test_a_short_answer_is_shown_where_nearly_all_messages_name_it_alone() -> None:
    assert short() == 10
    assert short(tasks=3) == 0
    assert short(message="No, it is not 12 but {}.") == 0
    assert short(message="Higher. You have 5 guesses left.") == 0
    assert short(answers=False) == 0
