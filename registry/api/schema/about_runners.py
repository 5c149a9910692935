"""What staff are told of runners."""

from __future__ import annotations

from registry.api.schema.base import All
from registry.api.schema.operation import Operation
from registry.api.schema.runners import LentRunner

OPERATIONS = {
    "GET runners/": Operation(
        "listRunners",
        "Runners",
        "List the runners",
        "For staff; by name.",
        {200: All[LentRunner]},
    ),
    "POST runners/{id}/drain/": Operation(
        "drainRunner",
        "Runners",
        "Drain a runner",
        "For staff: it finishes what it has and is given no new run.",
        {200: LentRunner},
    ),
    "DELETE runners/{id}/drain/": Operation(
        "resumeRunner",
        "Runners",
        "Give a runner runs again",
        "For staff.",
        {200: LentRunner},
    ),
}
