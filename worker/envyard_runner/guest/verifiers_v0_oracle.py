"""The function `oracle(task, messages)` of a classic environment's module, our own convention.

Verifiers has no place for it: a classic environment states a task as a row, so the row is passed.
"""

from __future__ import annotations

import contextlib
import copy
import json
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

NAME, PARAMETERS = "oracle", ("task", "messages")

Oracle = Callable[[dict[str, Any], list[dict[str, Any]]], Any]


def function(module: Any) -> Oracle | None:
    """The function of the module, or of the module that defines its load_environment.

    A function of this name with other parameters has another purpose. Runs none of the
    environment's code, which would tell the process that plays from a trainer's.
    """
    load = _members(module).get("load_environment")
    defining = sys.modules.get(load.__module__) if type(load) is FunctionType else None
    for owner in (module, defining):
        known = _members(owner).get(NAME)
        if type(known) is FunctionType and _parameters(known) == PARAMETERS:
            return known
    return None


def _members(module: Any) -> dict[str, Any]:
    return vars(module) if type(module) is ModuleType else {}


def _parameters(known: FunctionType) -> tuple[str, ...]:
    """The names of the positional parameters that a function declares."""
    return known.__code__.co_varnames[: known.__code__.co_argcount]


def bound(known: Oracle, row: dict[str, Any]) -> Callable[[list[dict[str, Any]]], Any]:
    """The function for one task; each call gets a copy of the row, as reward functions see it.

    A function that reads an `info` that is JSON itself gets the row as the dataset has it.
    """

    def reply(messages: list[dict[str, Any]]) -> Any:
        try:
            return known(_as_scored(row), messages)
        except TypeError:  # what json.loads raises for a dict
            if not isinstance(row.get("info"), str):
                raise
            return known(copy.deepcopy(row), messages)

    return reply


def _as_scored(row: dict[str, Any]) -> dict[str, Any]:
    """A copy of the row as reward functions see it: the framework parses an `info` that is JSON."""
    task = copy.deepcopy(row)
    if isinstance(task.get("info"), str):
        with contextlib.suppress(ValueError):
            task["info"] = json.loads(task["info"])
    return task
