"""Module texts of the environments: parts that both APIs share, and one ending for each API.

An environment is a text that defines `rows(seed)`, a list of dicts with `prompt` and `answer`,
`score(reply, row)` and `reference(row)`, the reply that earns full marks. What a text leaves out
stands in `SUMS`, so a flaw is the few lines that differ.
"""

from __future__ import annotations

from tests.zoo.entry import Api

SUMS = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    pairs = [(rng.randint(100, 999), rng.randint(100, 999)) for _ in range(40)]
    return [
        {"prompt": f"Add {a} and {b}. Reply with the number alone.", "answer": str(a + b)}
        for a, b in pairs
    ]


def reference(row):
    return row["answer"]


def score(reply, row):
    return float(reply.strip() == row["answer"])
"""
TAGGED = """
import json
import random
import re


def rows(seed):
    rng = random.Random(seed)
    pairs = [(rng.randint(100, 999), rng.randint(100, 999)) for _ in range(40)]
    return [
        {
            "prompt": f"Add {a} and {b}. Reply with <answer>, the number and </answer>.",
            "answer": str(a + b),
        }
        for a, b in pairs
    ]


def reference(row):
    return f"<answer>{row['answer']}</answer>"


def tagged(reply):
    answers = re.findall(r"<answer>(.*?)</answer>", reply, re.DOTALL)
    return answers[0].strip() if len(answers) == 1 else None


def score(reply, row):
    return float(tagged(reply) == row["answer"])
"""
CHOICE = """
import json
import random


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for _ in range(40):
        a, b = rng.randint(100, 999), rng.randint(100, 999)
        values = [a + b + shift for shift in (0, 1, 10, 100)]
        rng.shuffle(values)
        listed = "\\n".join(f"{letter}) {value}" for letter, value in zip("ABCD", values))
        prompt = f"What is {a} plus {b}? Reply with one letter.\\n{listed}"
        tasks.append({"prompt": prompt, "answer": "ABCD"[values.index(a + b)]})
    return tasks


def reference(row):
    return row["answer"]


def score(reply, row):
    return float(reply.strip() == row["answer"])
"""
WORDS = """
import json
import random

NAMES = "otter heron badger marten plover gannet weasel beaver falcon magpie".split()
VERBS = "carries follows watches greets avoids remembers paints feeds".split()


def rows(seed):
    rng = random.Random(seed)
    tasks = []
    for number in range(40):
        first, second, third = rng.sample(NAMES, 3)
        verb, other = rng.sample(VERBS, 2)
        prompt = (
            f"Story {rng.randint(1000, 9999)}: the {first} {verb} the {second}, and the {third} "
            f"{other} the {first}. Write the sentence about the {third} in capitals, without a dot."
        )
        tasks.append({"prompt": prompt, "answer": f"THE {third} {other} THE {first}".upper()})
    return tasks


def reference(row):
    return row["answer"]


def score(reply, row):
    return float(reply.strip() == row["answer"])
"""

V1 = """
from collections.abc import Iterator

import verifiers.v1 as vf

__all__ = ["ZooTaskset"]


class ZooData(vf.TaskData):
    row: dict


class ZooTask(vf.Task[ZooData]):
    @vf.reward(weight=1.0)
    async def right(self, trace: vf.Trace) -> float:
        return score(trace.last_reply, self.data.row)
ORACLE

class ZooConfig(vf.TasksetConfig):
    seed: int = 0


class ZooTaskset(vf.Taskset[ZooTask, ZooConfig]):
    def load(self) -> Iterator[ZooTask]:
        for row in rows(self.config.seed):
            data = ZooData(prompt=row["prompt"], system_prompt=row.get("system"), row=row)
            yield ZooTask(data, self.config.task)
"""
V1_ORACLE = """
    def oracle(self, messages):
        return reference(self.data.row)

"""
V0 = """
import verifiers as vf
from datasets import Dataset


def text_of(completion):
    content = completion[-1]["content"] if completion else ""
    return content if isinstance(content, str) else ""


def column(row):
    system = [{"role": "system", "content": row["system"]}] if row.get("system") else []
    prompt = row["prompt"]
    if isinstance(prompt, str):
        prompt = [{"role": "user", "content": prompt}]
    return {"prompt": system + prompt, ANSWER"info": {"row": json.dumps(row)}}


def right(completion, info, **_):
    return score(text_of(completion), json.loads(info["row"]))


def load_environment(seed: int = 0):
    dataset = Dataset.from_list([column(row) for row in rows(seed)])
    return vf.SingleTurnEnv(dataset=dataset, rubric=vf.Rubric(funcs=[right]))
"""
V0_ANSWER = '"answer": reference(row), '


def module(
    api: Api, *parts: str, base: str = SUMS, ending: str = "", with_reference: bool = True
) -> str:
    """The text of a module: the base, the parts that change it, the ending of the API."""
    if api == "v1":
        own = (ending or V1).replace("ORACLE\n", V1_ORACLE if with_reference else "\n\n")
    else:
        own = (ending or V0).replace("ANSWER", V0_ANSWER if with_reference else "")
    return "\n\n".join((base, *parts, own))
