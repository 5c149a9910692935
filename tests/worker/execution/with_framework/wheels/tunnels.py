"""A classic environment whose sandbox reaches it through a tunnel of Prime's."""

# ruff: noqa
# mypy: ignore-errors

import verifiers as vf
from datasets import Dataset
from prime_tunnel import Tunnel


class Tunnelled(vf.SingleTurnEnv):
    async def setup_state(self, state):
        state["url"] = await Tunnel(local_port=8000).start()
        return state


def correct(completion, answer, **kwargs):
    return float(answer in str(completion))


def load_environment():
    rows = [{"question": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(3)]
    return Tunnelled(dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[correct]))
