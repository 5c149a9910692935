"""Two environments in one, of which the second compares the attempts at a task."""

import verifiers as vf
from datasets import Dataset


def rows(word):
    return Dataset.from_list([{"question": word, "answer": word, "info": {"kind": word}}])


def exact(completion, answer):
    return 1.0 if completion[-1]["content"] == answer else 0.0


def longest(completions, **kwargs):
    lengths = [len(completion[-1]["content"]) for completion in completions]
    return [1.0 if length == max(lengths) else 0.0 for length in lengths]


def load_environment():
    plain = vf.SingleTurnEnv(dataset=rows("plain"), rubric=vf.Rubric(funcs=[exact]))
    compared = vf.SingleTurnEnv(
        dataset=rows("compared"), rubric=vf.Rubric(funcs=[exact, longest], weights=[1.0, 0.5])
    )
    return vf.EnvGroup([plain, compared], env_names=["plain", "compared"])
