"""Tables that a rollout copies one level deep are a warning where tools change their items."""

from __future__ import annotations

import pytest

from envyard.contract.code_checks.shared_state import shared_state

CODE = """
import copy
import verifiers as vf

SHELVES = {"a": [1], "b": []}


def take(shelf: str, shelves: dict) -> str:
    CHANGE
    return "taken"


class Desk(vf.StatefulToolEnv):
    def __init__(self, shelves, **kwargs):
        super().__init__(**kwargs)
        self.all = [shelves]
        for tool in (take, look):
            self.add_tool(tool, args_to_skip=["shelves"])

    async def setup_state(self, state, **kwargs):
        state["shelves"] = COPY
        return state
"""
CHANGES = (
    "shelves[shelf].append(2)",
    "shelves[shelf][0] = 2",
    "shelves[shelf][0] += 2",
    "del shelves[shelf][-1:]",
    "row = shelves[shelf]; row.pop()",
    "table = state['shelves']; table[shelf].append(2)",
    "row = shelves.get(shelf); row[0] -= 1",
    "shelves.get(shelf).append(2)",
    "shelves[shelf]['boxes'].append(2)",
    "row = shelves.get(shelf); row['boxes'][0] = 2",
    "[row := shelves[shelf], row.pop()]",
    "for row in shelves.values(): row.clear()",
    "for name, row in shelves.items(): row.append(name)",
    "row = next((each for each in shelves.values() if shelf in each), None); row.pop()",
)
COPIES = (
    "dict(SHELVES)",
    "SHELVES.copy()",
    "copy.copy(SHELVES)",
    "{**SHELVES}",
    "dict(self.all[0])",
)
OTHERS = ("copy.deepcopy(SHELVES)", "{name: list(each) for name, each in SHELVES.items()}")


def warnings(change: str, copied: str) -> list[str]:
    source = CODE.replace("CHANGE", change).replace("COPY", copied).encode()
    return [item.where for item in shared_state({"env.py": source}) if "one level" in item.message]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("copied", COPIES)
def test_changed_items_of_a_shallow_copy_are_a_warning(change: str, copied: str) -> None:
    assert warnings(change, copied) == ["env.py:21"]


@pytest.mark.parametrize("copied", [*OTHERS, 'dict(state["info"])'])
def test_deep_copies_and_data_of_the_rollout_are_none(copied: str) -> None:
    assert warnings(CHANGES[0], copied) == []


OF_THE_COPY = (
    "shelves[shelf] = 2",
    "shelves.pop(shelf)",
    "shelves[shelf]",
    "row = shelves.get(shelf); shelves[shelf] = (row[0] - 1, row[1])",
    "for name, row in shelves.items(): print(name.strip(), row)",
    "row = list(shelves.get(shelf)); row.append(2)",
)


@pytest.mark.parametrize("change", OF_THE_COPY)
def test_changes_of_the_copy_itself_are_none(change: str) -> None:
    assert warnings(change, COPIES[0]) == []


@pytest.mark.parametrize(
    "change",
    [
        "shelves[shelf] = list(shelves[shelf]); shelves[shelf].append(2)",
        "shelves = copy.deepcopy(shelves); shelves[shelf].append(2)",
        "shelves = [list(each) for each in shelf]; shelves[0][1] = 2",
        "shelves.append({}); shelves[-1]['done'] = True",
        "row = list(shelves[shelf]); row.append(2)",
        "state['shelves'] = {}; state['counts'][shelf] = 1",
    ],
)
def test_items_that_a_rollout_has_made_itself_are_none(change: str) -> None:
    assert warnings(change, COPIES[0]) == []


def test_items_that_cannot_change_or_are_replaced_at_once_are_none() -> None:
    fixed = CODE.replace('{"a": [1], "b": []}', '{"a": 1, "b": ("x", 2)}')
    source = fixed.replace("CHANGE", CHANGES[0]).replace("COPY", COPIES[0])
    assert not list(shared_state({"env.py": source.encode()}))
    assert warnings(CHANGES[0], 'dict(SHELVES); state["shelves"]["a"] = []') == []


def test_what_an_object_copies_of_itself_is_none() -> None:
    code = """
class Game:
    def reset(self):
        self.hands = dict(self.first)

    def step(self, action):
        self.hands["a"].append(action)
"""
    assert not list(shared_state({"env.py": code.encode()}))


ENTRY = """
import verifiers as vf


def move(parcel: str, depot: dict) -> str:
    depot["shelf"][parcel] = "north"
    return "moved"


class Depot(vf.StatefulToolEnv):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.depots = {}
        self.add_tool(move, args_to_skip=["depot"])

    async def setup_state(self, state, **kwargs):
        key = KEY
        FILL
        state["depot"] = self.depots[key]
        return state
"""
ONCE = "if key not in self.depots:\n            self.depots[key] = {'shelf': {}}"


def entries(key: str, fill: str) -> list[str]:
    source = ENTRY.replace("KEY", key).replace("FILL", fill).encode()
    return [item.message for item in shared_state({"env.py": source}) if "a copy" in item.message]


def test_an_entry_that_all_rollouts_of_a_task_share_is_a_warning() -> None:
    (message,) = entries('state["example_id"]', ONCE)
    assert message.startswith("env.py:20 takes 'self.depots[key]' without a copy, and env.py:6 ")


@pytest.mark.parametrize(
    ("key", "fill"),
    [
        ('state["trajectory_id"]', ONCE),
        ("id(state)", ONCE),
        ('state["example_id"]', "self.depots[key] = {'shelf': {}}"),
    ],
)
def test_entries_of_one_rollout_are_none(key: str, fill: str) -> None:
    assert entries(key, fill) == []
