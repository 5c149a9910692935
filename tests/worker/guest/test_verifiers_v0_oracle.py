"""Which function of a classic environment's module is its oracle()."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

import pytest

from envyard_runner.guest import verifiers_v0_oracle as oracles

LOAD = "def load_environment():\n    return None\n"
ORACLE = "def oracle(task, messages):\n    return task['info']['word']\n"


def module(text: str, name: str = "words") -> ModuleType:
    made = ModuleType(name)
    exec(text, vars(made))
    return made


@pytest.mark.parametrize(
    "text",
    [ORACLE, "async " + ORACLE, "from typing import *\n" + ORACLE.replace("task,", "task: dict,")],
)
def test_a_function_of_task_and_messages_beside_load_environment_is_the_oracle(text: str) -> None:
    assert oracles.function(module(LOAD + text)) is not None


def test_the_module_that_defines_load_environment_is_searched_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inner = module(LOAD + ORACLE, "words.env")
    monkeypatch.setitem(sys.modules, "words.env", inner)
    outer = module("")
    outer.load_environment = inner.load_environment  # type: ignore[attr-defined]
    assert oracles.function(outer) is inner.oracle  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def oracle(board, depth):\n    return 1\n",
        "def oracle(state):\n    return 1\n",
        "oracle = 'delphi'\n",
        "class oracle:\n    def __init__(self, task, messages): ...\n",
        "def __getattr__(name):\n    raise SystemExit(name)\n",
    ],
)
def test_anything_else_of_that_name_is_none_and_is_never_run(text: str) -> None:
    assert oracles.function(module(LOAD + text)) is None


def test_each_call_gets_a_copy_of_the_row_with_info_as_reward_functions_see_it() -> None:
    def take(task: dict[str, Any], messages: list[dict[str, Any]]) -> Any:
        return task["info"].pop("word"), len(messages)

    for info in ({"word": "fern"}, json.dumps({"word": "fern"})):
        reply = oracles.bound(take, {"answer": "", "info": info})
        assert [reply([{}]), reply([])] == [("fern", 1), ("fern", 0)]
    kept = oracles.bound(lambda task, messages: task["info"], {"info": "no JSON"})
    assert kept([]) == "no JSON"


def test_a_function_that_reads_json_itself_gets_info_as_the_dataset_has_it() -> None:
    def load(task: dict[str, Any], messages: list[dict[str, Any]]) -> Any:
        return json.loads(task["info"])["word"]

    assert oracles.bound(load, {"info": '{"word": "fern"}'})([]) == "fern"
    with pytest.raises(TypeError):
        oracles.bound(load, {"info": {"word": "fern"}})([])
