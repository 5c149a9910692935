"""Generators that a module makes once, and those that each load makes again."""

from __future__ import annotations

import pytest

from envyard.contract.code_checks.shared_generators import shared_generators

SOURCE = """
import random
import verifiers.v1 as vf
RNG = random.Random(7)
NAMES = RNG.sample("abcdef", 3)
class Taskset(vf.Taskset):
    def load(self):
        BODY
class Task(vf.Task):
    @vf.reward
    async def right(self, trace):
        return REWARD
"""


def codes(body: str, reward: str = "1.0") -> list[str]:
    source = SOURCE.replace("BODY", body).replace("REWARD", reward)
    return [item.code for item in shared_generators({"env.py": source.encode()})]


def test_draws_of_loads_and_rewards_from_a_generator_of_the_module_are_a_warning() -> None:
    assert codes("return [RNG.randint(1, 9)]") == ["env.shared_generator"]
    assert codes("return []", "float(RNG.random() < 0.5)") == ["env.shared_generator"]


@pytest.mark.parametrize(
    "body",
    [
        "RNG = random.Random(self.config.seed); return [RNG.random()]",
        "RNG.seed(self.config.seed); return [RNG.random()]",
        "return [random.Random(3).random()]",
        "return list(NAMES)",
    ],
)
def test_generators_that_begin_again_are_none(body: str) -> None:
    assert codes(body) == []
