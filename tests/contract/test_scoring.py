"""What a wheel declares about its rewards."""

from __future__ import annotations

import pytest

from envyard.contract.facts import Facts
from envyard.contract.needs import declarations
from envyard.contract.scoring import Scoring


def read(text: str) -> declarations.Declarations:
    return declarations.read({"demo/pyproject.toml": f"[tool.envyard]\n{text}".encode()}, "demo")


def test_range_echo_and_abstention_are_read() -> None:
    found = read("reward = [-3.2, 1]\necho = true\nabstention = false")
    assert found.scoring == Scoring(reward=(-3.2, 1.0), echo=True)
    assert found.findings == ()


def test_nothing_is_declared_by_other_keys() -> None:
    assert read("judge = true").scoring is None


@pytest.mark.parametrize(
    "text",
    [
        "reward = 10",
        "reward = [0]",
        "reward = [1, 0]",
        "reward = [0, inf]",
        "reward = [nan, 1]",
        "reward = [false, true]",
        "reward = ['0', '1']",
        "reward = [0, 1e7]",
        "echo = 1",
        "abstention = 'yes'",
    ],
)
def test_wrong_values_are_named_with_the_rule(text: str) -> None:
    found = read(text)
    assert found.scoring is None
    assert [item.code for item in found.findings] == ["env.bad_declaration"]
    assert f"tool.envyard.{text.split()[0]} must be" in found.findings[0].message


def test_facts_carry_it_and_drop_wrong_shapes() -> None:
    facts = Facts(scoring=Scoring(reward=(0.0, 10.0), echo=True))
    assert Facts.from_dict(facts.to_dict()).scoring == facts.scoring
    assert Facts.from_dict({}).scoring is None
    wrong = Facts.from_dict({"scoring": {"reward": [5, 1], "echo": "yes", "more": 1}})
    assert wrong.scoring == Scoring()
