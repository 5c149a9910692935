"""Rewards that compare with what a tool may have written are a warning."""

from __future__ import annotations

import pytest

from envyard.contract.code_checks.state_in_scoring import state_in_scoring

SOURCE = """
import verifiers.v1 as vf
LINES = ("B1", "B2")
class Sheet(vf.Toolset):
    @vf.tool
    def set_cell(self, cell: str, value: int) -> str:
        cell = cell.strip().upper()
        GUARD
        self.state.cells[cell] = value
        return "ok"
class Task(vf.Task):
    @vf.reward
    async def right(self, trace):
        state = trace.state
        return float(COMPARISON)
"""


def findings(
    comparison: str, guard: str = "if cell not in self.state.cells: return 'empty'"
) -> list[str]:
    source = SOURCE.replace("COMPARISON", comparison).replace("GUARD", guard)
    return [item.code for item in state_in_scoring({"env.py": source.encode()})]


@pytest.mark.parametrize(
    "comparison",
    [
        "state.total() == state.cells['D1']",
        "trace.state.cells['B1'] == trace.state.target",
        "sum(state.cells.values()) == state.cells['D1']",
    ],
)
def test_what_is_expected_from_a_state_that_tools_write_is_a_warning(comparison: str) -> None:
    assert findings(comparison) == ["env.compares_state"]
    assert findings(comparison, "pass") == ["env.compares_state"]


@pytest.mark.parametrize(
    "comparison",
    [
        "state.total() == self.data.target",
        "state.cells['B1'] == self.data.cells['B1']",
        "state.score == state.goal",
        "state.cells['B1'] == 3",
        "state.cells['B1'] > state.cells['B2']",
    ],
)
def test_a_comparison_with_the_task_or_of_other_fields_is_none(comparison: str) -> None:
    assert findings(comparison) == []


def test_a_tool_that_checks_its_key_writes_what_it_may() -> None:
    comparison = "state.total() == state.cells['D1']"
    assert findings(comparison, "if cell not in LINES: return 'no'") == []
    assert findings(comparison, "if cell == 'D1': return 'no'") == []
