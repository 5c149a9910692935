"""Values of the parts of runs and rollouts for the page of patterns."""

from __future__ import annotations

from typing import Any

from frontend.render import difference
from registry.read_models.run_overview import Cell, PolicyUsage, Scale, TaskRow

REWARDS: tuple[list[float | None], ...] = (
    [0.0, 0.3, 0.6, 1.0],
    [1.0, None, 1.0],
    [-0.5, -0.5, -0.5, -0.5],
)


def row(task: int, rewards: list[float | None]) -> TaskRow:
    """A row of the grid with four attempts, of which the last may not have finished."""
    cells = [
        Cell(0, "model", task, attempt, reward is not None, reward, 2.5, 2.0, 120, 640)
        for attempt, reward in enumerate(rewards)
    ]
    return TaskRow(task, [*cells, None][:4], [reward for reward in rewards if reward is not None])


SAME = [f"{difference.HEADING}user", *(f"equal line {n}" for n in range(6))]
CONTEXT: dict[str, Any] = {
    "blocks": difference.blocks([*SAME, "fig", "less"], [*SAME, "fog"]),
    "find": "Paris",
    "log_lines": [(12, "loaded 5 tasks"), (40, "loaded 2 tools")],
    "log_matches": 3,
    "scale": Scale(-0.5, 1.0),
    "grid": {
        "name": "model",
        "order": "mean",
        "orders": [{"key": "mean", "label": "smallest mean"}],
        "page": [row(task, group) for task, group in enumerate(REWARDS)],
    },
    "usage": [PolicyUsage("model", 11, [], 1320, 7040, 2.5, 2.5, 0.8)],
}
