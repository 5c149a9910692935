"""A classic environment whose reward reads the reasoning of the policy's reply."""

# ruff: noqa
# mypy: ignore-errors

import verifiers as vf
from datasets import Dataset


def length_of_reasoning(completion):
    reasoning = completion[-1].get("reasoning_content") or ""
    return (1 + len(reasoning)) / 100


def load_environment():
    rows = [{"question": "6 * 7?", "answer": "42"}, {"question": "6 * 8?", "answer": "48"}]
    rubric = vf.Rubric(funcs=[length_of_reasoning], weights=[1.0])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
