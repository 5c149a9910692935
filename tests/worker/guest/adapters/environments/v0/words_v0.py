"""Single turn with a training and an evaluation dataset."""

import verifiers as vf
from datasets import Dataset


def rows(words):
    return Dataset.from_list([{"question": f"Say {word}", "answer": word} for word in words])


def exact(completion, answer, **kwargs):
    return 1.0 if completion[-1]["content"] == answer else 0.0


def length(completion):
    return float(len(completion[-1]["content"]))


def load_environment(seed: int | None = None, note: str = "default"):
    rubric = vf.Rubric(funcs=[exact], weights=[2.0])
    rubric.add_metric(length)
    return vf.SingleTurnEnv(
        dataset=rows([f"{word}{seed}" for word in ("amber", "birch", "cedar")]),
        eval_dataset=rows(["delta"]),
        system_prompt="Repeat one word.",
        rubric=rubric,
    )
