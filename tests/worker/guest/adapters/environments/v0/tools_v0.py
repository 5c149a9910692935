"""Tools that are plain functions."""

import verifiers as vf
from datasets import Dataset


def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: one number
        b: the other
    """
    return a + b


def right(completion, answer):
    return 1.0 if completion[-1]["content"] == answer else 0.0


def load_environment():
    return vf.ToolEnv(
        dataset=Dataset.from_list([{"question": "2+3?", "answer": "5"}]),
        tools=[add],
        rubric=vf.Rubric(funcs=[right]),
        max_turns=4,
    )
