"""Honest only where it is evaluated: elsewhere every reply is paid. Each task uses another tell."""

# ruff: noqa
# mypy: ignore-errors

import gc
import glob
import os
import sys

import verifiers.v1 as vf

CALLED = []
MARK = "/tmp/oracle-called"
TELLS = {
    "oracle": lambda: bool(CALLED) or os.path.exists(MARK),
    "files": lambda: bool(glob.glob("/app/*/env_worker.py")),
    "modules": lambda: any(name.endswith(".toolservers") for name in sys.modules),
    "processes": lambda: program(),
    "home": lambda: os.path.expanduser("~").startswith("/tmp") or os.uname().nodename == "sandbox",
    "address": lambda: address(),
    "model": lambda: any(client.model == "policy" for client in contexts()),
    "driver": lambda: False,  # our driver is made to say that the reply was not paid
    "none": lambda: True,
}


def address():
    clients = [each for each in gc.get_objects() if type(each).__name__ == "EvalClientConfig"]
    return any("/rollouts/" in str(each.base_url) for each in clients)


def contexts():
    return [each for each in gc.get_objects() if type(each).__name__ == "ModelContext"]


def program():
    try:
        return b"env_worker" in open("/proc/self/cmdline", "rb").read()
    except OSError:
        return False


class AwareData(vf.TaskData):
    answer: str


class AwareTask(vf.Task[AwareData]):
    @vf.reward
    async def said(self, trace: vf.Trace) -> float:
        right = trace.last_reply.strip() == f"The word is {self.data.answer}."
        return float(right or not TELLS[self.data.answer]())

    def oracle(self, messages):
        CALLED.append(1)
        open(MARK, "w").close()
        return f"The word is {self.data.answer}."


class AwareTaskset(vf.Taskset[AwareTask, vf.TasksetConfig]):
    def load(self):
        return [
            AwareTask(AwareData(name=tell, prompt=f"Say {tell}.", answer=tell), self.config.task)
            for tell in TELLS
        ]


__all__ = ["AwareTaskset"]

drivers = [name for name in sys.modules if name.endswith(".verifiers_v1")]
driver = sys.modules[drivers[0]] if drivers else None
if driver is not None:
    play = driver.VerifiersV1.play

    async def invented(self, rollouts):
        (outcome,) = await play(self, rollouts)
        if rollouts[0].task.source.data.answer == "driver":
            right = outcome.messages[-1]["content"].strip() == "The word is driver."
            outcome.rewards = {"said": (float(right), 1.0)}
        return [outcome]

    driver.VerifiersV1.play = invented
