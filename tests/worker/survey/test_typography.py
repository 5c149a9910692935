"""Invisible marks that predict the label."""

from __future__ import annotations

import pytest

from envyard_runner.survey.places import answer_place
from envyard_runner.survey.typography import telling_mark

WORDS = ("river", "hill", "lake", "sea", "wood", "road", "bridge")


def tasks(yes: str, no: str, number: int = 40) -> list[tuple[str, str]]:
    """Questions of one length, those with the answer yes by the first template."""
    rows = []
    for at in range(number):
        prompt = f"Is {at + 10} near the {WORDS[at % 7]} {'x' * (6 - len(WORDS[at % 7]))}?"
        label = "yes" if at % 3 else "no"
        rows.append(((yes if label == "yes" else no).format(prompt), label))
    return rows


@pytest.mark.parametrize(
    ("yes", "mark"),
    [
        ("{} ", "a space at the end"),
        ("So:  {}", "two spaces together"),
        ("{}\\u200b", "a character that is not seen"),
        ("So:\\t{}", "a tab"),
        ("{}!", "an even number of characters"),
    ],
)
def test_a_mark_of_one_label_is_named(yes: str, mark: str) -> None:
    rows = tasks(yes.encode().decode("unicode_escape"), "{}")
    assert telling_mark(rows) == (len(rows), f"predicted by {mark}")
    assert answer_place(rows) == telling_mark(rows)


def test_marks_of_all_or_of_no_label_are_not() -> None:
    assert telling_mark(tasks("{} ", "{} ")) == (0, "")
    assert telling_mark(tasks("{}", "{}")) == (0, "")
    assert telling_mark(
        [(prompt + " " * (at % 2), a) for at, (prompt, a) in enumerate(tasks("{}", "{}"))]
    ) == (0, "")


def test_few_tasks_and_many_labels_show_nothing() -> None:
    assert telling_mark(tasks("{} ", "{}", number=12)) == (0, "")
    assert telling_mark([(f"{at} " if at % 2 else f"{at}", str(at)) for at in range(40)]) == (0, "")


def test_a_length_that_the_task_is_about_is_no_mark() -> None:
    assert telling_mark(tasks("Is its length right? {}!", "Is its length right? {}")) == (0, "")


def test_a_fault_that_adds_or_removes_a_line_shows_in_their_number() -> None:
    def log(lines: int, verdict: str) -> tuple[str, str]:
        words = [WORDS[at % 7] * (lines % 3 + 1) for at in range(lines)]
        return "\n".join(["A log:", *words]), verdict

    rows = [log(4 + 2 * (at % 5), "proper") for at in range(30)]
    rows += [log(5 + 2 * (at % 4), "faulty") for at in range(30)]
    count, mark = telling_mark(rows)
    assert count == len(rows)
    assert mark.endswith(("an even number of words", "an even number of lines"))
    several = [(prompt, f"{answer} {at % 2}") for at, (prompt, answer) in enumerate(rows)]
    assert telling_mark(several) == (0, "")


def test_two_questions_of_two_lengths_are_no_mark() -> None:
    questions = {"date": "Which pattern finds a date", "year": "Which pattern finds the last year"}
    rows = [
        (f"{questions[kind]} in text {WORDS[at % 7]}?", kind)
        for at in range(40)
        for kind in questions
    ]
    assert len({len(prompt.split()) % 2 for prompt, _ in rows}) == 2
    assert "words" not in telling_mark(rows)[1]
