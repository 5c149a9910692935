"""Values of the parts of environments and versions for the page of patterns."""

from __future__ import annotations

from typing import Any

from frontend.pages.environment_head import Use
from registry.read_models.version_changes import Comparison, FieldChange, MeasureChange
from registry.sources.changes import Change, Changes

LINES = ["@@ -1,2 +1,2 @@", " def reward():", "-    return 0", "+    return 1"]
MEASURE = {"value": 0.0, "status": "pass"}
SCORE = {"mean": 0.5, "low": 0.34, "high": 0.62, "n": 40}

CONTEXT: dict[str, Any] = {
    "install": {"hub": "hub install lab/evaluated==1.2.0"},
    "uses": [Use("uv", "uv pip install ..."), Use("Python", "import verifiers\n...")],
    "version": {"version": "1.2.0"},
    "picker": [
        {"version": "1.3.0", "status": "evaluating", "url": "#head"},
        {"version": "1.2.0", "status": "listed", "url": "#head"},
        {"version": "1.1.0", "status": "listed", "url": "#head", "yanked": True},
        {"version": "1.0.0", "status": "rejected", "url": "#head"},
    ],
    "more_versions": True,
    "all_versions": "#head",
    "before": {"version": "1.1.0"},
    "after": {"version": "1.2.0"},
    "comparison": Comparison(
        fields=[FieldChange("Licence", "", "Apache-2.0")],
        dependencies_added=[],
        dependencies_removed=[],
        measures=[
            MeasureChange("floor", "Floor", "reward", {**MEASURE, "status": "warn"}, MEASURE),
            MeasureChange("ceiling", "Ceiling", "reward", None, {**MEASURE, "value": 1.0}),
        ],
        score_before=SCORE,
        score_after={**SCORE, "mean": 0.55},
        model_before="org/model-4b",
        model_after="org/model-8b",
        same_rules=False,
    ),
    "changes": Changes(
        [
            Change("evaluated/rewards.py", "changed", 27, 27, LINES),
            Change("evaluated/data.bin", "changed", 2048, 4096),
            Change("evaluated/tasks.py", "added", None, 512),
        ],
        more=2,
        unchanged=9,
    ),
}
