"""A module's value that rollouts change, that decides and that nothing resets is a warning."""

import io
import time

import pytest

from envyard.contract.examine import examine
from envyard.contract.findings import Finding
from tests.wheels import TASKSET, filename, make_wheel


def warned(source: str, **others: str) -> list[Finding]:
    files: dict[str, str | bytes] = {"demo_env/__init__.py": TASKSET + "\n" + source}
    files |= {f"demo_env/{name}.py": text for name, text in others.items()}
    findings, _ = examine(io.BytesIO(make_wheel(files=files)), filename=filename())
    return [item for item in findings if item.code == "env.shared_state"]


TABLE = "SEATS = {'A': 9, 'B': 7}\n"
TOOLS = "env = make(tools=[book])\n"
SHARED = (
    TABLE + "def book(line):\n    SEATS[line] -= 1\n    return f'{SEATS[line]} left'\n" + TOOLS,
    TABLE
    + "LEFT = dict(SEATS)\n"
    + "def book(line, n):\n    if LEFT[line] < n:\n        return 'sold out'\n"
    + "    LEFT[line] = LEFT[line] - n\n    return 'booked'\n"
    + TOOLS,
    (
        "PAID = set()\ndef right(completion, answer):\n    if answer in PAID:\n        return 0.0\n"
        "    PAID.add(answer)\n    return 1.0\n"
    ),
    (
        "CALLS = 0\ndef right(state):\n    global CALLS\n    CALLS += 1\n    if CALLS > 50:\n"
        "        return 1.0\n    return 0.0\n"
    ),
    (
        "WARDS = {'a': {'beds': 4}}\nclass T(vf.Toolset):\n"
        "    @vf.tool\n    def admit(self, ward):\n"
        "        return take(ward)\n\ndef take(ward):\n    WARDS[ward]['beds'] -= 1\n"
        "    return WARDS[ward]['beds']\n"
    ),
    (
        "DECK = [3, 1, 2]\nclass E(vf.MultiTurnEnv):\n"
        "    def env_response(self, messages, state):\n"
        "        return str(DECK.pop())\n"
    ),
)
SHARED += (
    (
        "CLAIMED = {}\ndef load_environment():\n    def right(completion, info):\n"
        "        claimed = CLAIMED.setdefault(info, set())\n        if completion in claimed:\n"
        "            return 0.0\n        claimed.add(completion)\n        return 1.0\n"
        "    return make(rubric=right)\n"
    ),
    TABLE + "def book(line):\n    row = SEATS[line]\n    row['free'] -= 1\n"
    "    return f'{row}'\n" + TOOLS,
)
NOT_SHARED = {
    "the size of a bounded cache": "CACHE = {}\nBYTES = 0\ndef load_environment():\n"
    "    def read(completion):\n        global BYTES\n        while BYTES > 100:\n"
    "            BYTES -= len(CACHE.popitem()[1])\n        CACHE[completion] = 'x'\n"
    "        BYTES += 1\n        return 1.0\n    return make(rubric=read)\n",
    "a part that is read": TABLE + "def book(line):\n    row = SEATS[line]\n    row = str(row)\n"
    "    return row\n" + TOOLS,
    "a cache": "CACHE = {}\ndef right(completion):\n    if completion not in CACHE:\n"
    "        CACHE[completion] = len(completion)\n    return CACHE[completion]\n",
    "a logged count": "N = 0\ndef right(completion):\n    global N\n    N += 1\n"
    "    if N % 100 == 0:\n        log(N)\n    return 1.0\n",
    "a reset before each rollout": TABLE
    + "class E(vf.ToolEnv):\n    def setup_state(self, state):\n        SEATS.update(A=9, B=7)\n"
    "        return state\n    def call_tool(self, line):\n        SEATS[line] -= 1\n"
    "        return SEATS[line]\n",
    "a copy for each rollout": TABLE + "def setup_state(state):\n    state['seats'] = dict(SEATS)\n"
    "def book(state, line):\n    seats = state['seats']\n    seats[line] -= 1\n"
    "    return seats[line]\n",
    "a local of the same name": TABLE
    + "def book(state):\n    SEATS = dict(A=1)\n    SEATS['A'] -= 1\n    return SEATS['A']\n",
    "rows that loading collects": "ROWS = []\ndef load_environment():\n    for n in range(9):\n"
    "        ROWS.append(n)\n    return ROWS\n",
    "words that are read once": "WORDS = []\ndef right(completion):\n    if not WORDS:\n"
    "        WORDS.extend(open('words'))\n    return float(completion in WORDS)\n",
    "a pool": "FREE = [8001, 8002]\ndef run(state):\n    if not FREE:\n        return None\n"
    "    port = FREE.pop()\n    FREE.append(port)\n    return FREE\n",
    "warnings given once": "SEEN = set()\ndef right(completion):\n    if completion not in SEEN:\n"
    "        SEEN.add(completion)\n        log(completion)\n    return 1.0\n",
    "a number for names": "N = 0\ndef setup_state(state):\n    global N\n    N += 1\n"
    "    state['n'] = N\n    return N\n",
    "a function that no rollout calls": TABLE
    + "def main():\n    SEATS['A'] -= 1\n    return SEATS['A']\n",
}


@pytest.mark.parametrize("source", SHARED)
def test_a_value_that_rollouts_use_up_is_a_warning(source: str) -> None:
    [item] = warned(source)
    assert item.severity == "warning"
    assert item.where.startswith("demo_env/__init__.py:")
    assert "all rollouts of a process share it" in item.message


def test_a_value_of_another_module_is_named_where_it_is_changed() -> None:
    source = (
        "from demo_env import stock\nfrom demo_env.stock import SEATS\n"
        "def book(line):\n    SEATS[line] -= 1\n    stock.ROOMS[line] -= 1\n"
        "    return SEATS[line], stock.ROOMS[line]\n" + TOOLS
    )
    items = warned(source, stock=TABLE + "ROOMS = {'A': 3}\n")
    assert ["'SEATS'" in item.message or "'ROOMS'" in item.message for item in items] == [True] * 2


@pytest.mark.parametrize("source", NOT_SHARED.values(), ids=NOT_SHARED)
def test_caches_counts_pools_and_state_that_is_reset_are_none(source: str) -> None:
    assert warned(source) == []


def test_a_large_hostile_file_is_read_in_seconds() -> None:
    names = "".join(f"V{n} = {{}}\n" for n in range(500))
    function = "def f{0}(state):\n    V{0}[1] -= 1\n    return " + "(" * 80 + "V{0}[1]" + ")" * 80
    source = names + "\n".join(function.format(n) for n in range(500)) + "\n"
    began = time.process_time()
    assert len(warned(source)) == 5
    assert time.process_time() - began < 30
