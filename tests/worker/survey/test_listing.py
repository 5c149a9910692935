"""Listed tasks: copies, contradictions, lacks and overlap, and what is none of them."""

from __future__ import annotations

from typing import Any

from envyard.contract.survey import Survey
from envyard_runner.survey.listing import (
    EVAL,
    TRAIN,
    Listed,
    Listing,
    compare_tasks,
    contradictions,
    overlap,
    repeated_tasks,
    without_answer,
    without_prompt,
)

LONG = (
    "A farmer sells eggs at the market every morning, keeps three for breakfast and bakes muffins "
    "with four of them for her friends. How many eggs does she sell on a day with so many: {}"
)


def task(
    index: int, prompt: str, answer: str | None = None, shown: str = "", hidden: str = ""
) -> Listed:
    return Listed(index, prompt, answer, shown, hidden)


def tasks(n: int, **fields: Any) -> list[Listed]:
    return [task(i, f"What is {i} plus {i}?", str(2 * i), **fields) for i in range(n)]


def test_equal_tasks_are_copies_and_so_are_long_prompts_that_differ_in_a_word() -> None:
    assert repeated_tasks([*tasks(5), *tasks(3)]) == (3, 0)
    near = [task(0, LONG.format(16), "9"), task(1, LONG.format(17), "9")]
    assert repeated_tasks(near) == (0, 1)


def test_tasks_of_one_template_with_other_answers_are_no_copies() -> None:
    assert repeated_tasks([task(n, LONG.format(n), str(n - 7)) for n in range(9, 60)]) == (0, 0)


def test_the_same_words_with_other_secrets_images_or_data_are_no_copies() -> None:
    same = "Guess my word. You have six attempts."
    assert repeated_tasks([task(n, same, f"word{n}") for n in range(9)]) == (0, 0)
    assert repeated_tasks([task(n, same, shown=f"{n}") for n in range(9)]) == (0, 0)
    assert repeated_tasks([task(n, same, hidden=f"{n}") for n in range(9)]) == (0, 0)
    assert repeated_tasks([task(n, same, "yes", shown="one image") for n in range(9)]) == (8, 0)


def test_a_question_and_its_answer_again_are_a_copy_whatever_else_differs() -> None:
    rows = [task(n, "Two plus two?", "4", hidden=f"{n}") for n in range(3)]
    assert repeated_tasks(rows) == (2, 0)


def test_tasks_that_show_nothing_are_not_compared() -> None:
    assert repeated_tasks([task(n, "") for n in range(9)]) == (0, 0)
    assert overlap([task(0, "")], [task(0, "")]) == ([], [])


def test_one_prompt_with_two_answers_is_a_contradiction() -> None:
    rows = [*tasks(30), task(30, "What is  3 plus 3?", "7"), task(31, "what is 4 plus 4?", " 8 ")]
    assert [(one.index, other.index) for one, other in contradictions(rows)] == [(3, 30)]


def test_secrets_images_and_other_data_explain_other_answers() -> None:
    secrets = [task(n, "Guess my number.", str(n)) for n in range(20)]
    assert contradictions([*tasks(30), *secrets]) == []
    assert contradictions([*tasks(30, shown="a"), task(30, "What is 3 plus 3?", "7", "b")]) == []
    other_data = task(30, "What is 3 plus 3?", "7", hidden="base 5")
    assert contradictions([*tasks(30), other_data]) == []
    assert contradictions([*tasks(30), task(30, "What is 3 plus 3?")]) == []


def test_lacking_prompts_and_answers_are_named_where_the_others_have_them() -> None:
    assert without_prompt([*tasks(9), task(9, " ")]) == [9]
    assert without_prompt([*tasks(9), task(9, "", shown="an image")]) == []
    assert without_prompt([task(n, "") for n in range(9)]) == []
    assert without_answer([*tasks(20), task(20, "Why?")]) == [20]
    assert without_answer([*tasks(5), task(5, "Why?")]) == []
    assert without_answer([task(n, "Why?") for n in range(9)]) == []
    assert without_answer([*tasks(6), *(task(n, "Why?") for n in (6, 7, 8))]) == [6, 7, 8]
    assert without_answer([*(task(n, "Why?") for n in range(3)), *tasks(6)]) == []


def test_evaluation_tasks_that_are_training_tasks_are_found() -> None:
    train = [*tasks(20), task(20, LONG.format(16), "9")]
    evaluation = [task(0, "What is 3 plus 3?", "6"), task(1, LONG.format("sixteen"), "9")]
    assert overlap(train, evaluation) == ([0], [1])


def test_other_tasks_of_the_same_template_are_no_overlap() -> None:
    train = [task(n, LONG.format(n), str(n)) for n in range(30)]
    assert overlap(train, [task(n, LONG.format(n), str(n)) for n in range(30, 60)]) == ([], [])
    secret = "Guess my word."
    assert overlap([task(0, secret, "cat")], [task(0, secret, "dog")]) == ([], [])
    unknown = [task(0, LONG.format(16)), task(1, LONG.format(17))]
    assert overlap(unknown[:1], unknown[1:]) == ([], [])


RIVERS = ["danube", "volga", "rhine", "rhone", "loire", "douro", "tiber", "neva", "oder", "elbe"]


def test_the_same_word_in_another_scramble_is_overlap() -> None:
    train = [task(n, f"Unscramble: {name[::-1]}", name) for n, name in enumerate(RIVERS)]
    turned = [task(n, f"Unscramble: {name[2:] + name[:2]}", name) for n, name in enumerate(RIVERS)]
    assert overlap(train, turned) == ([], [*range(10)])
    sums = [task(n, f"Compare 1{n} and 2{n + 1}.", "less") for n in range(9)]
    swapped = [task(n, f"Compare 2{n + 1} and 1{n}.", "less") for n in range(9)]
    assert overlap(sums, swapped) == ([], [])


def test_the_same_characters_of_another_task_are_no_overlap() -> None:
    words = ["twenty", "thirty", "forty", "sixty", "seventy", "eighty", "ninety"]
    tens = [
        (ten, f"{word}-{unit}")
        for ten, word in zip((2, 3, 4, 6, 7, 8, 9), words, strict=True)
        for unit in ("five", "six")
    ]
    asks = (
        "Write it with a hyphen, in words of lower case, exactly as you would say it, very fully."
    )
    ones = [
        task(n, f"What is {ten}{n % 2} plus 5? {asks}", word) for n, (ten, word) in enumerate(tens)
    ]
    others = [
        task(n, f"What is 5{n % 2} plus {ten}? {asks}", word) for n, (ten, word) in enumerate(tens)
    ]
    assert overlap(ones, others) == ([], [])


def test_letters_and_words_apart_are_a_scramble_too() -> None:
    train = [task(n, f"Order: {' '.join(name[::-1])}.", name) for n, name in enumerate(RIVERS)]
    turned = [
        task(n, f"Order: {'-'.join(name[2:] + name[:2])}.", name) for n, name in enumerate(RIVERS)
    ]
    assert overlap(train, turned) == ([], [*range(10)])


def listing(rows: Any, *, split: Any = TRAIN, limit: int = 100) -> Listing:
    result = Listing(limit)
    result.add({"event": "tasks", "split": split, "rows": rows})
    result.end({"event": "listed", "split": split, "complete": True, "endless": 1, "error": None})
    return result


def test_rows_are_read_up_to_the_limit_and_their_shapes_are_not_trusted() -> None:
    row = [1, "Why?", "so", "", "", ""]
    assert len(listing([row] * 200, limit=150).tasks[TRAIN]) == 150
    odd = [[], None, [1], [[], {}, [], 3, None, 5], row, [1, "x" * 9999, 7, "", "y" * 999, ""]]
    read = listing(odd).tasks[TRAIN]
    assert [each.index for each in read] == [0, 1, 1]
    assert max(len(each.prompt) for each in read) < 3000
    assert listing([row], split="nobody's").tasks == {TRAIN: [], EVAL: []}
    assert listing(7, split=[]).ends == {}
    end = listing([row]).ends[TRAIN]
    assert (end.tasks, end.complete, end.endless, end.error) == (1, True, False, "")


def test_the_survey_counts_what_the_listing_shows() -> None:
    both = listing([[n, f"What is {n}?", str(n), "", "", ""] for n in (0, 1, 2, 2)])
    both.add({"split": EVAL, "rows": [[0, "What is 1?", "1", "", "", ""]]})
    both.end({"split": EVAL, "complete": True})
    survey = compare_tasks(both, Survey(limit=100))
    assert (survey.tasks, survey.prompts, survey.exact, survey.near) == (4, 4, 1, 0)
    assert (survey.shared_exact, survey.shared_near, survey.shared) == (1, 0, [0])
    assert Survey.from_dict(survey.to_dict()) == survey
