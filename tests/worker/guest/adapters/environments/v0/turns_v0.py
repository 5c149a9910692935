"""Several turns with state; only an evaluation dataset."""

import verifiers as vf
from datasets import Dataset


class Countdown(vf.MultiTurnEnv):
    async def setup_state(self, state):
        state["left"] = 3
        return state

    async def env_response(self, messages, state, **kwargs):
        if messages[-1]["content"] == "stumble":
            raise LookupError("the environment's own mistake")
        state["left"] -= 1
        return [{"role": "user", "content": f"{state['left']} left"}]

    @vf.stop
    async def landed(self, state):
        return state["left"] == 1


def counted(state):
    return 1.0 if state["left"] == 1 else 0.0


def load_environment():
    return Countdown(
        eval_dataset=Dataset.from_list([{"question": "Count down.", "answer": ""}]),
        rubric=vf.Rubric(funcs=[counted]),
        max_turns=6,
    )
