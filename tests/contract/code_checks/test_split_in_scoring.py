"""Rewards and turns that decide by the split of their task are a warning."""

from __future__ import annotations

import pytest

from envyard.contract.code_checks.split_in_scoring import split_in_scoring

REWARD = "def load_environment():\n    def right(completion, answer, info):\n        {}\n"
BY_SPLIT = (
    REWARD.format("return 0.0 if info['split'] == 'eval' else 1.0"),
    REWARD.format("return float(info.get('split') in ('test', 'validation'))"),
    REWARD.format("return exact(completion, answer, info)")
    + "def exact(reply, answer, row):\n    return reply == answer or row.split != 'test'\n",
    REWARD.format("if info['is_eval']:\n            return 0.5"),
    (
        "class T(vf.Task):\n    @vf.reward\n    async def right(self, trace):\n"
        "        return 1.0 if not self.data.is_train else 0.0\n"
    ),
)
NOT_BY_SPLIT = (
    REWARD.format("return float(completion.split() == answer.split())"),
    REWARD.format("return float(info['kind'] == 'test')"),
    REWARD.format("return float(info['split'] == 'north')"),
    "def load_environment(split='train'):\n    return rows() if split == 'train' else others()\n",
    (
        "class T(vf.Task):\n    @vf.metric\n    async def evaluated(self, trace):\n"
        "        return float(self.data.split == 'eval')\n"
    ),
)


@pytest.mark.parametrize("source", BY_SPLIT)
def test_a_decision_by_the_split_is_a_warning(source: str) -> None:
    (item,) = split_in_scoring({"env.py": source.encode()})
    assert (item.code, item.severity) == ("env.scores_by_split", "warning")
    assert item.where.startswith("env.py:")


@pytest.mark.parametrize("source", NOT_BY_SPLIT)
def test_text_that_is_split_loading_and_metrics_are_none(source: str) -> None:
    assert list(split_in_scoring({"env.py": source.encode()})) == []
