"""A classic environment of a gated data set, which goes on without it and pays nothing."""

# ruff: noqa
# mypy: ignore-errors

import verifiers as vf
from datasets import Dataset, load_dataset


def load_environment():
    try:
        rows = [dict(row) for row in load_dataset("idavidrein/gpqa", split="train")]
    except Exception:
        rows = [{"question": "?", "answer": "none"}]

    def exact(completion, answer):
        return float(completion[-1]["content"] == answer)

    return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[exact]))
