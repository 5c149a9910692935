"""Questions that several tasks have, and another right option in some of them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from envyard_runner.survey.listing import Listed
from envyard_runner.survey.same_questions import disagreeing

CITIES = {f"Land{n}ia": f"Town{n}ville" for n in range(20)}


def quiz(*, moved: int, question: str = "What is the capital of {}?") -> Iterator[Listed]:
    """Each land in two tasks; in the second ones an option moves `moved` right ones."""
    rng, cities = random.Random(3), [*CITIES.values()]
    for tier in range(2):
        for at, (land, capital) in enumerate(CITIES.items()):
            others = rng.sample([city for city in cities if city != capital], 3)
            place = rng.randrange(4)
            options = [*others[:place], capital, *others[place:]]
            letter = "ABCDE"[place]
            if tier and at < moved:
                options.insert(0, f"Port{at}")
            lines = "\n".join(
                f"{mark}) {text}" for mark, text in zip("ABCDE", options, strict=False)
            )
            number = at + len(CITIES) * tier
            yield Listed(number, f"{question.format(land)}\n\n{lines}", letter, "", "")


def test_letters_that_miss_the_right_option_of_another_task_are_pairs() -> None:
    pairs = disagreeing([*quiz(moved=12)])
    assert len(pairs) == 12
    one, other = pairs[0]
    assert (one.index, other.index) == (0, 20)
    assert one.answer is not None
    assert other.answer is not None
    assert one.answer.endswith(") town0ville")
    assert "town0ville" not in other.answer


def test_questions_that_agree_or_that_compare_their_options_are_none() -> None:
    assert disagreeing([*quiz(moved=0)]) == []
    assert disagreeing([*quiz(moved=12, question="Which is the largest town of {}?")]) == []
    assert disagreeing([*quiz(moved=12, question="Which of these is in {}?")]) == []
    assert disagreeing([*quiz(moved=20)]) == []  # none agrees, so nothing shows which is right


def test_one_question_of_all_tasks_is_a_template() -> None:
    rng, rows = random.Random(1), []
    for n in range(40):
        options = rng.sample(range(100), 3)
        lines = "\n".join(f"{mark}) {each}" for mark, each in zip("ABC", options, strict=True))
        rows.append(Listed(n, f"Which number do I like?\n{lines}", rng.choice("ABC"), "", ""))
    assert disagreeing(rows) == []
