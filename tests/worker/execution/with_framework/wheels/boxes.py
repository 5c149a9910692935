"""A classic environment whose model has Python in a sandbox of Prime's."""

# ruff: noqa
# mypy: ignore-errors

import verifiers as vf
from datasets import Dataset


def correct(completion, answer, **kwargs):
    return float(answer in str(completion))


def load_environment():
    rows = [{"question": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(3)]
    return vf.PythonEnv(
        dataset=Dataset.from_list(rows),
        rubric=vf.Rubric(funcs=[correct]),
        pip_install_packages="numpy",
    )
