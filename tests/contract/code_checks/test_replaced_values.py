"""Rewards that compare with what a reply was merged into are a warning."""

from __future__ import annotations

import pytest

from envyard.contract.code_checks.replaced_values import replaced_values

BEGIN = (
    "import json\nimport verifiers.v1 as vf\nDEFAULTS = {'unit': 'm'}\nclass T(vf.Task):\n"
    "    @vf.reward\n    async def right(self, trace):\n"
    "        return score(trace.last_reply, self.data.truth)\n"
    "def parse(reply):\n    return json.loads(reply)\n"
    "def score(reply, truth):\n    report = parse(reply)\n    BODY\n"
)
REPLACED = (
    "view = {k: v for k, v in truth.items()} | report\n    return report['a'] == view['true_a']",
    "view = {**truth, **report}\n    return float(report['a'] == view['a'])",
    "view = dict(truth)\n    view.update(report)\n    return float(view['a'] == view.get('b'))",
    "view = {k: v for k, v in json.loads(truth).items()} | report\n    return view['a'] == 1",
    "report = json.loads(reply)\n    view = truth | report\n    return view['x'] > 3",
)
NOT_REPLACED = (
    "view = {**report, **truth}\n    return float(report['a'] == view['a'])",
    "view = {**DEFAULTS, **report}\n    return float(view['a'] == truth['a'])",
    "view = DEFAULTS | report\n    return float(view['a'] == truth['a'])",
    "return float(report == truth)",
    "view = {'unit': 'm', **report}\n    return float(view['unit'] == truth['unit'])",
    "view = truth | report\n    print(view)\n    return float(report['a'] == truth['a'])",
)


@pytest.mark.parametrize("lines", REPLACED)
def test_a_reply_that_replaces_expected_values_is_a_warning(lines: str) -> None:
    (item,) = replaced_values({"env.py": BEGIN.replace("BODY", lines).encode()})
    assert (item.code, item.severity) == ("env.reply_replaces_values", "warning")


@pytest.mark.parametrize("lines", NOT_REPLACED)
def test_defaults_and_values_that_win_are_none(lines: str) -> None:
    assert list(replaced_values({"env.py": BEGIN.replace("BODY", lines).encode()})) == []
