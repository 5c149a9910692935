import json
import os
import subprocess
import sys
from itertools import islice

import pytest
from calculator_tools import CalculatorToolsTaskset
from calculator_tools.answers import read_answer
from calculator_tools.arithmetic import LIMIT, OPERATIONS, compute
from calculator_tools.chains import WORDS, chains
from calculator_tools.server import CalculatorToolset, answer
from calculator_tools.taskset import CalculatorToolsConfig


def load(**config) -> list:
    config = CalculatorToolsConfig(id="calculator-tools", **config)
    return list(CalculatorToolsTaskset(config))


def some(count: int, **options) -> list:
    defaults = {"seed": 0, "split": "train", "shortest": 2, "longest": 4}
    return list(islice(chains(**{**defaults, **options}), count))


def test_the_five_operations_are_exact_and_rounded_down():
    assert compute("multiply", 99_999_999, 1_000_001) == 99_999_999 * 1_000_001
    assert (compute("divide", -7, 2), compute("remainder", -7, 2)) == (-4, 1)
    assert (compute("add", 2, 3), compute("subtract", 2, 3)) == (5, -1)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (("divide", 5, 0), "error: b is 0"),
        (("remainder", 5, 0), "error: b is 0"),
        (("add", LIMIT, 1), "error: a has more than 15 digits"),
        (("multiply", 1, -LIMIT), "error: b has more than 15 digits"),
    ],
)
def test_an_impossible_call_is_answered_with_a_sentence_not_a_crash(call, sentence):
    assert answer(*call).startswith(sentence)


def test_every_operation_is_offered_by_its_bare_name():
    assert CalculatorToolset.TOOL_PREFIX is None
    assert set(OPERATIONS) == set(WORDS)
    assert all(hasattr(getattr(CalculatorToolset, name), "tool") for name in OPERATIONS)


def test_formulas_mean_what_their_steps_compute():
    for drawn in some(300):
        if drawn.written_as_formula:
            formula = drawn.text.removeprefix("What is ").split("?")[0]
            assert eval(formula, {"__builtins__": {}}) == drawn.answer  # noqa: S307 - our own text
        else:
            assert drawn.text.count(".") == len(drawn.steps) + 1
        for (_, _, _), (_, a, _) in zip(drawn.steps, drawn.steps[1:], strict=False):
            assert 10_000 <= a < LIMIT
        for before, after in zip(drawn.steps, drawn.steps[1:], strict=False):
            assert compute(*before) == after[1]


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Answer: 1234", 1234),
        ("**Answer:** 1,234.", 1234),
        ("Answer: 5\nAnswer: 6", None),
        ("Answer: <whole number>", None),
        ("1234", None),
        ("", None),
    ],
)
def test_only_one_answer_line_counts(reply, value):
    assert read_answer(reply) == value


def test_oracle_calls_tools_step_by_step_and_no_other_policy_is_paid():
    tasks = load(num_tasks=100)
    assert len({task.data.prompt for task in tasks}) == 100
    for number, task in enumerate(tasks):
        messages = [{"role": "user", "content": task.data.prompt}]
        while isinstance(reply := task.oracle(messages), dict):
            (call,) = reply["tool_calls"]
            arguments = json.loads(call["function"]["arguments"])
            result = answer(call["function"]["name"], **arguments)
            messages += [reply, {"role": "tool", "tool_call_id": call["id"], "content": result}]
        assert len(messages) == 1 + 2 * len(task.data.steps)
        assert messages[-1]["content"] == task.data.answer
        truth = int(task.data.answer)
        assert read_answer(reply) == truth
        assert read_answer(task.data.prompt) is None
        assert read_answer(tasks[(number + 1) % 100].oracle(messages * 9)) != truth


def test_train_and_eval_never_share_a_question_whatever_the_seed():
    train = {drawn.text for drawn in some(1000)}
    assert not train & {drawn.text for drawn in some(300, seed=1, split="eval")}


def test_a_reversed_range_of_steps_is_refused_by_name():
    with pytest.raises(ValueError, match="min_steps 5 is above max_steps 3"):
        CalculatorToolsConfig(min_steps=5, max_steps=3)


def test_same_seed_gives_the_same_questions_in_another_process():
    code = (
        "import sys, types; m = types.ModuleType('calculator_tools');"
        "m.__path__ = ['calculator_tools']; sys.modules['calculator_tools'] = m;"
        "from calculator_tools.chains import chains; from itertools import islice; print(list("
        "islice(chains(seed=7, split='eval', shortest=2, longest=4), 50)))"
    )
    here = str(some(50, seed=7, split="eval"))
    for hash_seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == here
