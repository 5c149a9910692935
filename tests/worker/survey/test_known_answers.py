"""Answers by fields, by played references, and by what oracle() replies without a play."""

from __future__ import annotations

from envyard_runner.survey.known_answers import KnownAnswers
from envyard_runner.survey.listing import Listed


def known(*, played: int = 3, **fields: object) -> KnownAnswers:
    """Twenty tasks whose oracle() replies to the opening; the first ones were played."""
    answers = KnownAnswers(openings={task: f"{task} km" for task in range(20)})
    for task in range(played):
        answers.add(task, f"{task} km", replies=1)
    for name, value in fields.items():
        setattr(answers, name, value)
    return answers


def test_replies_to_openings_are_answers_where_plays_show_the_same() -> None:
    assert known().all == {task: f"{task} km" for task in range(20)}
    assert len(known().alone) == 20


def test_replies_to_openings_are_no_answers_where_something_follows() -> None:
    several = known()
    several.add(7, "7 km", replies=2)
    other = known()
    other.add(7, "8 km", replies=1)
    for answers in (several, other, known(tools=True), known(played=2)):
        assert answers.all.keys() == answers.replies.keys()


def test_a_field_counts_before_what_was_played() -> None:
    answers = known(fields={0: "zero"})
    assert (answers.all[0], answers.all[1]) == ("zero", "1 km")


def test_the_last_of_several_replies_is_known_and_is_no_answer_alone() -> None:
    answers = KnownAnswers(fields={0: "zero"})
    for task in (0, 1):
        answers.add(task, "done", replies=3)
    answers.add(2, " ", replies=1)
    assert answers.all == {0: "zero", 1: "done"}
    assert answers.alone == ["zero"]


def test_tasks_with_one_prompt_and_two_replies_contradict_one_another() -> None:
    tasks = [Listed(task, f"How far is {task}?", None, "", f"{task}") for task in range(20)]
    tasks[4] = Listed(4, "How far is 9?", None, "", "4")
    assert known().contradicting(tasks)[0][1].index == 9
    tasks[4] = Listed(4, "How far is 9?", None, "an image", "4")
    assert known().contradicting(tasks) == []


def test_tasks_do_not_contradict_one_another_where_instructions_differ() -> None:
    tasks = [Listed(task, "How far?", None, "", "") for task in (1, 2)]
    tasks += [Listed(task, f"How far is {task}?", None, "", "") for task in range(3, 20)]
    assert known().contradicting(tasks) != []
    assert known(instructions={"In km.", "In miles."}).contradicting(tasks) == []


def test_without_tools_the_last_of_several_replies_answers_no_opening() -> None:
    answers = known(fields={0: "zero"})
    for task in (0, 7):
        answers.add(task, "Oder", replies=4)
    assert answers.of_prompts == {0: "zero", 1: "1 km", 2: "2 km"}
    answers.tools = True
    assert answers.of_prompts[7] == "Oder"
