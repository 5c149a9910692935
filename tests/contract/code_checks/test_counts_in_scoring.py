"""Rewards that depend on a count of their process are a warning; other counts are none."""

from __future__ import annotations

import time

import pytest

from envyard.contract.code_checks.counts_in_scoring import counts_in_scoring

BEGIN = """import gc
import itertools
import logging
import verifiers.v1 as vf
from types import SimpleNamespace
log = logging.getLogger(__name__)
LIMIT = 300
COUNT = itertools.count(1)
NUMBER = 0
CALLS = {"marked": 0, "failed": 0}
BOX = [0]
SEEN = []
TEXTS = set()
CACHE = {}
STATE = SimpleNamespace(marked=0)


class Tally:
    total = 0

    def __init__(self):
        self.n = 0

    def tick(self):
        self.n += 1
        return self.n


TALLY = Tally()


def numbered():
    global NUMBER
    NUMBER += 1
    return NUMBER


class T(vf.Task):
    @vf.reward
    async def right(self, trace):
        return score(trace.last_reply, self.data.answer)


def score(reply, answer):
"""
COUNTED = (
    "if next(COUNT) < LIMIT: return float(reply == answer)\n    return 1.0",
    "return float(reply == answer or next(COUNT) > 300)",
    "strict = COUNT.__next__() < 300\n    return float(reply == answer) if strict else 1.0",
    "n = next(COUNT) + 1\n    margin = 0 if n < 300 else 5\n    return float(len(reply) <= margin)",
    "global NUMBER\n    NUMBER += 1\n    return float(reply == answer or NUMBER > 300)",
    "global NUMBER\n    NUMBER = NUMBER + 1\n    if NUMBER % 7 == 0: return 1.0\n    return 0.0",
    "if numbered() > LIMIT: return 1.0\n    return float(reply == answer)",
    "CALLS['marked'] += 1\n    return float(reply == answer) if CALLS['marked'] < 200 else 1.0",
    "BOX[0] += 1\n    while BOX[0] > 90: return 1.0\n    return float(reply == answer)",
    "SEEN.append(reply)\n    return float(reply == answer or len(SEEN) > 300)",
    "TEXTS.add(reply)\n    if len(TEXTS) >= 300: answer = reply\n    return float(reply == answer)",
    "STATE.marked += 1\n    return [float(reply == answer), 1.0][STATE.marked > 300]",
    "if TALLY.tick() > LIMIT: return 1.0\n    return float(reply == answer)",
    "Tally.total += 1\n    return float(reply == answer) if Tally.total <= LIMIT else 1.0",
    "score.calls += 1\n    return 1.0 if score.calls > 300 else float(reply == answer)",
)
NOT_COUNTED = (
    "name = f'{next(COUNT)}-{reply}'\n    return float(name.endswith(answer))",
    "if next(COUNT) % 100 == 0: log.info('another hundred')\n    return float(reply == answer)",
    "n = next(COUNT)\n    if n % 100 == 0:\n        print(n)\n        gc.collect()\n    return 1.0",
    "global NUMBER\n    NUMBER += 1\n    if NUMBER > LIMIT: raise RuntimeError\n    return 1.0",
    "global NUMBER\n    NUMBER += 1\n    odd = NUMBER > 9\n    NUMBER -= 1\n    return float(odd)",
    "if len(CACHE) > 300: CACHE.clear()\n    CACHE[reply] = reply == answer\n    return 1.0",
    "if len(CACHE) < 300: CACHE[reply] = reply == answer\n    return float(reply == answer)",
    "if len(SEEN) < 300: SEEN.append(reply)\n    return float(reply == answer)",
    "if len(SEEN) > 300: SEEN.pop(0)\n    SEEN.append(reply)\n    return float(reply == answer)",
    "counter = itertools.count()\n    while next(counter) < 3: pass\n    return 1.0",
    "tries = 0\n    while tries < 3: tries += 1\n    return float(tries > 2)",
    "seen = [*reply]\n    seen.append(answer)\n    return float(len(seen) > 3)",
    "CALLS['marked'] += 1\n    return float(reply == answer)",
    "tally = Tally()\n    tally.tick()\n    return float(reply == answer)",
    "return float(len(reply) < LIMIT)",
)


def codes(body: str) -> list[str]:
    files = {"env.py": f"{BEGIN}    {body}\n".encode()}
    return [item.code for item in counts_in_scoring(files)]


@pytest.mark.parametrize("body", COUNTED)
def test_a_count_of_the_process_that_decides_is_a_warning(body: str) -> None:
    assert codes(body) == ["env.scores_by_count"]


@pytest.mark.parametrize("body", NOT_COUNTED)
def test_a_count_that_decides_nothing_of_the_reward_is_none(body: str) -> None:
    assert codes(body) == []


def test_a_count_of_another_module_and_the_line_are_named() -> None:
    files = {
        "pkg/__init__.py": b"from pkg.task import T\n",
        "pkg/counts.py": b"import itertools\nmarked = itertools.count()\n",
        "pkg/task.py": b"import verifiers.v1 as vf\nfrom pkg.counts import marked\n"
        b"class T(vf.Task):\n    @vf.reward\n    async def right(self, trace):\n"
        b"        return float(next(marked) > 300)\n",
    }
    (item,) = counts_in_scoring(files)
    assert (item.where, item.severity) == ("pkg/task.py:6", "warning")
    assert "(next(marked) > 300)" in item.message


CLASSIC = """
import itertools
import verifiers as vf


def load_environment():
    counter, marked = itertools.count(), 0
    scored = itertools.count()

    def right(completion, answer, state):
        nonlocal marked
        marked += 1
        return float(DECIDES)

    def id_of(state):
        return next(counter)

    return vf.SingleTurnEnv(rubric=vf.Rubric(funcs=[right]))


class Grader(vf.Rubric):
    def __init__(self):
        super().__init__()
        self.scored = itertools.count()
        self.add_reward_func(self.graded)

    def graded(self, completion, answer):
        return float(GRADES)
"""


@pytest.mark.parametrize(
    ("decides", "grades"),
    [("next(scored) > 300", "1"), ("marked > 300", "1"), ("1", "next(self.scored) > 90")],
)
def test_counts_of_a_loading_function_and_of_a_rubric_are_of_the_process(
    decides: str, grades: str
) -> None:
    text = CLASSIC.replace("DECIDES", decides).replace("GRADES", grades)
    assert [item.code for item in counts_in_scoring({"e.py": text.encode()})] == [
        "env.scores_by_count"
    ]


def test_many_functions_are_read_quickly() -> None:
    body = "".join(f"    if next(COUNT) < {n}: return {n}\n" for n in range(2_000))
    others = "".join(f"def f{n}(x, y):\n    return x + {n}\n" for n in range(3_000))
    began = time.monotonic()
    findings = [*counts_in_scoring({"env.py": f"{BEGIN}{body}    return 0\n{others}".encode()})]
    assert len(findings) == 5
    assert time.monotonic() - began < 3.0
