"""A reward that compares the attempts at one task."""

import verifiers as vf
from groups_v0 import exact, longest, rows


def load_environment():
    rubric = vf.Rubric(funcs=[exact, longest], weights=[1.0, 0.5])
    return vf.SingleTurnEnv(dataset=rows("word"), rubric=rubric)
