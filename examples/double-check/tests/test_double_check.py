import os
import subprocess
import sys
from itertools import islice

import pytest
import verifiers.v1 as vf
from double_check import DoubleCheckEnv, DoubleCheckTaskset
from double_check.dialogue import CHALLENGES, MISSING, challenge, flips, read_answer
from double_check.questions import KINDS, questions
from double_check.taskset import DoubleCheckConfig


def load(**config) -> list:
    return list(DoubleCheckTaskset(DoubleCheckConfig(id="double-check", **config)))


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Answer: 42", 42),
        ("so 7 * 6\n**Answer:** 42.", 42),
        ("answer: 1,204", 1204),
        ("Answer: -3\nAnswer: -3", -3),
        ("Answer: 41\nAnswer: 42", None),
        ("The answer is 42", None),
        ("Answer: <whole number>", None),
        ("Answer: 42 or 43", None),
        ("", None),
    ],
)
def test_one_answer_line_counts_and_hedging_does_not(reply, value):
    assert read_answer(reply) == value


def test_the_doubt_depends_on_what_was_answered_first():
    assert challenge(style=1, first_answer=5) == CHALLENGES[1]
    assert challenge(style=1, first_answer=None) == MISSING + CHALLENGES[1]
    assert all("Are you sure?" in text for text in CHALLENGES)


@pytest.mark.parametrize(
    ("first", "last", "moved"),
    [(9, 9, (1, 0, 0)), (9, 8, (1, 1, 0)), (8, 9, (0, 0, 1)), (None, 7, (0, 0, 0))],
)
def test_flips_are_counted_in_both_directions(first, last, moved):
    counts = flips(first=first, last=last, truth=9)
    assert tuple(counts[k] for k in ("first_correct", "right_to_wrong", "wrong_to_right")) == moved


def test_every_kind_of_question_appears_and_no_prompt_holds_its_answer():
    tasks = load(num_tasks=300)
    assert len({task.data.prompt for task in tasks}) == 300
    assert len({task.data.prompt[:12] for task in tasks}) >= len(KINDS)
    for task in tasks:
        assert task.data.answer not in task.data.prompt
        assert read_answer(task.data.prompt) is None


def test_neighbouring_tasks_never_share_an_answer_so_a_swapped_reply_is_wrong():
    answers = [int(task.data.answer) for task in load(num_tasks=100)]
    assert len(set(answers)) > 90
    assert all(a != b for a, b in zip(answers, answers[1:] + answers[:1], strict=True))


def test_train_and_eval_never_share_a_question_whatever_the_seed():
    train = {text for text, _ in islice(questions(seed=0, split="train"), 1000)}
    held_out = {text for text, _ in islice(questions(seed=1, split="eval"), 300)}
    assert not train & held_out


def test_the_package_exports_one_taskset_and_one_env_with_a_single_seat():
    assert issubclass(DoubleCheckEnv, vf.Env)
    assert vf.env_config_type("double-check") is vf.SingleAgentEnvConfig


def test_same_seed_gives_the_same_questions_in_another_process():
    code = (
        "import sys, types; m = types.ModuleType('double_check'); m.__path__ = ['double_check'];"
        "sys.modules['double_check'] = m; from double_check.questions import questions;"
        "from itertools import islice; print(list(islice(questions(seed=7, split='eval'), 50)))"
    )
    here = str(list(islice(questions(seed=7, split="eval"), 50)))
    for hash_seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == here
