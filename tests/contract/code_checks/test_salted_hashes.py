"""Tasks and rewards that hash() decides."""

from __future__ import annotations

import pytest

from envyard.contract.code_checks.salted_hashes import salted_hashes

SOURCE = """
import random
import verifiers.v1 as vf
class Taskset(vf.Taskset):
    def load(self):
        return [phrase for phrase in phrases() if part(phrase)]
def phrases():
    return ["a b", "c d"]
def part(phrase):
    BODY
class Task(vf.Task):
    @vf.reward
    async def right(self, trace):
        return REWARD
"""


def codes(body: str = "return True", reward: str = "1.0", more: str = "") -> list[str]:
    source = SOURCE.replace("BODY", body).replace("REWARD", reward) + more
    return [item.code for item in salted_hashes({"env.py": source.encode()})]


@pytest.mark.parametrize(
    "body",
    [
        "return hash(phrase) % 5 == 0",
        "return abs(hash(phrase)) % 5 == 0",
        "return random.Random(hash(phrase)).random() < 0.5",
        "rng = random.Random(); rng.seed(3 + hash(phrase)); return rng.random() < 0.5",
        "return hash(phrase) & 1",
    ],
)
def test_a_hash_that_decides_is_a_warning(body: str) -> None:
    assert codes(body) == ["env.salted_hash"]
    assert codes(reward="float(hash(trace.last_reply) % 2)") == ["env.salted_hash"]


@pytest.mark.parametrize(
    "body",
    [
        "return hash(phrase) in {hash(each) for each in phrases()}",
        "return hash(7) % 5 == 0",
        "return zlib.crc32(phrase.encode()) % 5 == 0",
        "hash = zlib.crc32; return hash(phrase.encode()) % 5",
        "return self.hash(phrase) % 5",
    ],
)
def test_other_hashes_are_none(body: str) -> None:
    assert codes(body) == []


def test_a_function_of_the_same_name_and_the_method_are_none() -> None:
    assert codes("return hash(phrase) % 5", more="def hash(text):\n    return len(text)\n") == []
    method = "class Row:\n    def __hash__(self):\n        return hash(self.name) % 97\n"
    assert codes(more=method) == []
