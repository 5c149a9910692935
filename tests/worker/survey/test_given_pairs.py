"""Pairs of a prompt that show what some of the tasks ask about."""

from __future__ import annotations

import random

from envyard_runner.survey.given_pairs import shown_pairs

NAMES = [
    f"{first}{last}" for first in ("Ab", "Bor", "Cun", "Dal") for last in ["nop", "rst", "uvw"]
]
NAMES += [f"{first}{last}" for first in ("Ek", "Fis", "Gol") for last in ["mar", "lin", "tor"]]
FRAME = "Names are filed by codes. From the file:\n{pairs}\n\nCode this name: {name}\nUse one tag."


def code(name: str) -> str:
    return f"{name[0]}{sum(map(ord, name)) % 900 + 100}"


def shown(*, excluded: bool, frame: str = FRAME, fixed: bool = False) -> dict[int, str]:
    """The tasks found among those that show three pairs each, the asked one `excluded` or not."""
    rng = random.Random(5)
    prompts, answers = {}, {}
    for task, name in enumerate(NAMES):
        others = [each for each in NAMES if each != name or not excluded]
        chosen = NAMES[:4] if fixed else rng.sample(others, 4)
        pairs = "\n".join(f"{each}: {code(each)}" for each in chosen)
        prompts[task] = frame.format(pairs=pairs, name=name)
        answers[task] = code(name)
    return shown_pairs(prompts, answers)


def test_pairs_that_have_the_asked_name_in_some_of_the_tasks_are_named() -> None:
    tasks = shown(excluded=False)
    assert len(tasks) >= 3
    assert all(pair.endswith(code(NAMES[task])) for task, pair in tasks.items())


def test_pairs_without_the_asked_name_show_nothing() -> None:
    assert shown(excluded=True) == {}


def test_exceptions_and_tables_are_no_examples() -> None:
    assert shown(excluded=False, frame=f"These are exceptions. {FRAME}") == {}
    assert shown(excluded=False, frame=f"Look it up in this table. {FRAME}") == {}
    assert shown(excluded=False, fixed=True) == {}


def test_a_list_that_has_all_that_is_asked_for_is_to_be_read() -> None:
    prompts = {
        task: f"Badges:\n{name}: {code(name)}\nZed: Z{task}\nWhich badge has: {name}"
        for task, name in enumerate(NAMES)
    }
    assert shown_pairs(prompts, {task: code(name) for task, name in enumerate(NAMES)}) == {}


def test_absent_names_with_one_answer_are_to_be_read_too() -> None:
    prompts, answers = {}, {}
    for task, name in enumerate(NAMES):
        others = [name, NAMES[task - 1]] if task % 3 == 0 else [NAMES[task - 1], NAMES[task - 2]]
        pairs = "\n".join(f"{each}: {code(each)}" for each in others)
        prompts[task] = f"Badges:\n{pairs}\nWhich badge has: {name}\nReply none without one."
        answers[task] = code(name) if task % 3 == 0 else "none"
    assert shown_pairs(prompts, answers) == {}
