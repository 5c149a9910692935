import os
import re
import subprocess
import sys
from itertools import islice

import pytest
from grade_school_math import GradeSchoolMathTaskset
from grade_school_math.answers import correct, final_number, marked
from grade_school_math.problems import problems
from grade_school_math.stories import STORIES
from grade_school_math.taskset import GradeSchoolMathConfig


def load(**config) -> list:
    config = GradeSchoolMathConfig(id="grade-school-math", **config)
    return list(GradeSchoolMathTaskset(config))


@pytest.mark.parametrize(
    "reply",
    [
        "#### 1000",
        "so it is\n#### 1,000",
        "#### $1,000.00",
        "####1000.",
        "**#### 1000**",
        "#### 1000 apples",
        "\\boxed{1,000}",
        "500 + 500 = 1000",
        "The answer is 1000.",
        "First 20, then 50.\nThe answer is $1,000.",
        "#### 1000\n\\boxed{1000}",
    ],
)
def test_common_ways_to_write_the_right_number_are_paid(reply):
    assert correct(reply, "1000")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "####",
        "#### 71 #### 72",
        "#### 72\n#### 71",
        "#### 71 or 72",
        "71 or 72",
        "\\boxed{71} or \\boxed{72}",
        "#### 720",
        "#### 7 2",
        "#### 72.5",
        "#### -72",
        "#### 72e3",
        "x72",
        "72\nI am not sure.",
    ],
)
def test_hedging_and_other_numbers_are_not_paid(reply):
    assert not correct(reply, "72")


def test_grouping_commas_are_not_confused_with_lists():
    assert final_number("#### 1,2") is None
    assert final_number("#### 12,345,678") == 12345678


def test_marked_means_a_last_line_with_the_marker():
    assert marked("steps\n#### 12")
    assert not marked("#### 12\nand more")
    assert not marked("12")


def test_every_story_has_a_text_and_its_steps_end_in_its_answer():
    stream = list(islice(problems(seed=2, split="train"), 400))
    assert len({problem.text for problem in stream}) == 400
    openings = {re.sub(r"\d+|[A-Z][a-z]+", "", problem.text)[:14] for problem in stream}
    assert len(openings) >= len(STORIES)
    for problem in stream:
        assert correct(problem.solution, problem.answer)
        for left, right in re.findall(r": (.+) = (-?\d+)$", problem.solution, re.MULTILINE):
            assert eval(left, {"__builtins__": {}}) == int(right)  # noqa: S307 - our own arithmetic


def test_train_and_eval_never_share_a_problem_whatever_the_seed():
    train = {problem.text for problem in islice(problems(seed=0, split="train"), 2000)}
    held_out = {problem.text for problem in islice(problems(seed=1, split="eval"), 500)}
    assert not train & held_out


def test_oracle_earns_one_and_no_other_policy_is_paid():
    tasks = load(num_tasks=100)
    assert len({task.data.prompt for task in tasks}) == 100
    for number, task in enumerate(tasks):
        answer, prompt = task.data.answer, task.data.prompt
        assert correct(task.oracle([{"role": "user", "content": prompt}]), answer)
        assert not correct(prompt, answer)
        assert not correct(tasks[(number + 1) % 100].oracle([]), answer)


def test_same_seed_gives_the_same_problems_in_another_process():
    code = (
        "import sys, types; m = types.ModuleType('grade_school_math');"
        "m.__path__ = ['grade_school_math']; sys.modules['grade_school_math'] = m;"
        "from grade_school_math.problems import problems; from itertools import islice;"
        "print(list(islice(problems(seed=7, split='eval'), 50)))"
    )
    here = str(list(islice(problems(seed=7, split="eval"), 50)))
    for hash_seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == here
