"""Rewards that draw random numbers without a seed are a warning."""

from __future__ import annotations

import pytest

from envyard.contract.code_checks.chance_in_scoring import chance_in_scoring

CLASSIC = (
    "import random\nimport numpy as np\nfrom random import sample\nimport verifiers as vf\n"
    "def load_environment():\n    def right(completion, answer):\n        {}\n"
    "    return vf.SingleTurnEnv(rubric=vf.Rubric(funcs=[right]))\n"
)
TODAY = (
    "import random\nimport verifiers.v1 as vf\nclass T(vf.Task):\n"
    "    @vf.reward\n    async def right(self, trace):\n        return score(trace.last_reply)\n"
    "def score(reply):\n    {}\n"
)
DRAWN = (
    CLASSIC.format("return float(all(map(check, random.sample(answer, 3))))"),
    CLASSIC.format("return float(check(sample(answer, 3)))"),
    CLASSIC.format("return float(np.random.choice(answer) in completion)"),
    CLASSIC.format("return np.random.default_rng().random()"),
    TODAY.format("return random.random()"),
    TODAY.format("import os\n    return os.getpid() % 2"),
    TODAY.format("rng = random.Random()\n    return rng.random()"),
    TODAY.format("return RNG.random()") + "RNG = random.Random(7)\n",
)
NOT_DRAWN = (
    CLASSIC.format("return float(random.Random(answer).random() > 0.5)"),
    CLASSIC.format("random.seed(answer)\n        return random.random()"),
    CLASSIC.format("return float('random' in completion)"),
    TODAY.format("RNG = random.Random(reply)\n    return RNG.random()")
    + "RNG = random.Random(7)\n",
    TODAY.format("return TABLE.sample(reply)") + "TABLE = Table()\n",
    TODAY.format("return float(reply == 'random')")
    + "def load():\n    return random.sample(range(9), 3)\n",
    TODAY.format("return float(reply == 'x')")
    + "class Env(vf.MultiTurnEnv):\n    def env_response(self, messages, state):\n"
    "        return random.choice(['left', 'right'])\n",
)


@pytest.mark.parametrize("source", DRAWN)
def test_a_draw_without_a_seed_is_a_warning(source: str) -> None:
    (item, *_) = chance_in_scoring({"env.py": source.encode()})
    assert (item.code, item.severity) == ("env.scores_by_chance", "warning")
    assert item.where.startswith("env.py:")


@pytest.mark.parametrize("source", NOT_DRAWN)
def test_seeded_draws_tasks_and_opponents_are_none(source: str) -> None:
    assert list(chance_in_scoring({"env.py": source.encode()})) == []


def test_the_number_of_the_process_is_read_without_any_other_draw() -> None:
    source = TODAY.format("return os.getpid() % 2").replace("import random", "import os")
    assert "random" not in source
    assert [item.code for item in chance_in_scoring({"env.py": source.encode()})] == [
        "env.scores_by_chance"
    ]


def test_a_draw_in_another_module_is_reached_by_name() -> None:
    members = {
        "env/__init__.py": TODAY.format("return to_thread(check, reply)").encode(),
        "env/checks.py": b"import random\ndef check(reply):\n    return random.random()\n",
    }
    (item,) = chance_in_scoring(members)
    assert item.where.startswith("env/checks.py:3")
