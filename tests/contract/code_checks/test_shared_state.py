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
SHARED += (
    (
        "DEPOTS = {}\ndef shelves(depot):\n    if depot not in DEPOTS:\n"
        "        DEPOTS[depot] = {'sacks': 9}\n    return DEPOTS[depot]\n"
        "def send(depot, n):\n    held = shelves(depot)\n    if held['sacks'] < n:\n"
        "        return 'too few'\n    held['sacks'] -= n\n    return 'sent'\n"
        "env = make(tools=[send])\n"
    ),
)
SHARED += (
    (
        "RECORDS = {}\ndef right(completion, info):\n    steps = len(completion)\n"
        "    record = RECORDS.setdefault(info, 99)\n    if steps < record:\n"
        "        RECORDS[info] = record = steps\n    return record / steps\n"
    ),
)
NOT_SHARED = {
    "the size of a bounded cache": "CACHE = {}\nBYTES = 0\ndef load_environment():\n"
    "    def read(completion):\n        global BYTES\n        while BYTES > 100:\n"
    "            BYTES -= len(CACHE.popitem()[1])\n        CACHE[completion] = 'x'\n"
    "        BYTES += 1\n        return 1.0\n    return make(rubric=read)\n",
    "a part that is read": TABLE + "def book(line):\n    row = SEATS[line]\n    row = str(row)\n"
    "    return row\n" + TOOLS,
    "an item for each rollout": "GAMES = {}\ndef game(trace):\n    if trace.id not in GAMES:\n"
    "        GAMES[trace.id] = {'n': 3}\n    return GAMES[trace.id]\n"
    "def move(trace):\n    held = game(trace)\n    held['n'] -= 1\n    return held['n']\n"
    "env = make(tools=[move])\n",
    "a cache of parts": "CACHE = {}\ndef rows(name):\n    if name not in CACHE:\n"
    "        CACHE[name] = {'n': 3}\n    return CACHE[name]\n"
    "def look(name):\n    row = rows(name)\n    return row['n']\nenv = make(tools=[look])\n",
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

# Classes of classic verifiers, whose objects all rollouts of a process share.
GAME = "import verifiers as v0\nclass Game(v0.MultiTurnEnv):\n"
INIT = "    def __init__(self, **kw):\n        super().__init__(**kw)\n"
TURN = "    async def env_response(self, messages, state, **kw):\n"
ON_OBJECTS = {
    "a counted miss": GAME
    + INIT
    + "        self.misses = 0\n"
    + TURN
    + "        self.misses += 1\n"
    "        state['lost'] = self.misses >= 6\n        return []\n",
    "letters": GAME + "    guessed = set()\n" + TURN + "        self.guessed.add(messages[-1])\n"
    "        return [c if c in self.guessed else '_' for c in state['answer']]\n",
    "a board": GAME + "    async def setup_state(self, state):\n"
    "        self.board = [' '] * 9\n        return state\n"
    + TURN
    + "        self.board[int(messages[-1])] = 'X'\n        return str(self.board)\n",
    "a secret of one rollout": GAME + "    async def setup_state(self, state):\n"
    "        self.secret = state['answer']\n        return state\n"
    + TURN
    + "        return 'right' if self.secret in messages[-1] else 'wrong'\n",
    "a drawn secret": GAME + "    async def setup_state(self, state):\n"
    "        self.secret = random.choice(WORDS)\n        return state\n"
    + TURN
    + "        return 'right' if self.secret == 'x' else 'wrong'\n",
    "an end": GAME
    + INIT
    + "        self.done = False\n"
    + TURN
    + "        if 'quit' in messages[-1]:\n            self.done = True\n        return []\n"
    "    async def is_completed(self, messages, state):\n        return self.done\n",
    "a helper method": GAME
    + INIT
    + "        self.turn = 0\n"
    + TURN
    + "        self._next()\n        return f'turn {self.turn}'\n"
    "    def _next(self):\n        self.turn = self.turn + 1\n",
    "a method that is a tool": "import verifiers as v0\nclass Shop(v0.ToolEnv):\n"
    "    def __init__(self, **kw):\n        self.stock = {'bolt': 9}\n"
    "        super().__init__(tools=[self.take], **kw)\n"
    "    def take(self, item: str):\n        self.stock[item] -= 1\n"
    "        return f'{self.stock[item]} left'\n",
    "an inner function that is a tool": "import verifiers as v0\nclass Shop(v0.ToolEnv):\n"
    "    def __init__(self, **kw):\n        self.left = [1, 2]\n        def take():\n"
    "            return str(self.left.pop())\n        super().__init__(tools=[take], **kw)\n",
    "a part by another name": GAME + TURN + "        board = self.board\n"
    "        board[messages[-1]] = 'X'\n        return str(board)\n",
    "a deleted item": GAME + TURN + "        del self.cards[0]\n        return self.cards[0]\n",
    "a rubric": "from verifiers import Rubric\nclass Once(Rubric):\n    def __init__(self):\n"
    "        super().__init__(funcs=[self.fresh])\n        self.used = set()\n"
    "    def fresh(self, completion):\n        if completion in self.used:\n"
    "            return 0.0\n"
    "        self.used.add(completion)\n        return 1.0\n",
    "a parser": "import verifiers as v0\nclass Last(v0.Parser):\n    def parse(self, text):\n"
    "        text = text or self.last\n        self.last = text\n        return text\n",
    "a class in a function and its base": "import verifiers as v0\n"
    "class Base(v0.MultiTurnEnv):\n    pass\ndef load_environment():\n    class Game(Base):\n"
    "        def env_response(self, messages, state):\n            self.turns += 1\n"
    "            return str(self.turns)\n    return Game()\n",
    "attempts by answer": GAME + TURN + "        word = state['answer']\n"
    "        self.tries[word] = self.tries.get(word, 0) + 1\n"
    "        return 'no more' if self.tries[word] > 3 else 'again'\n",
}
ON_NO_OBJECT = {
    "what is made once": GAME
    + INIT
    + "        self.words = load()\n"
    + TURN
    + "        return self.words[0]\n    def load_words(self):\n        self.words += ['x']\n",
    "a cache": GAME + TURN + "        word = messages[-1]\n        if word not in self.known:\n"
    "            self.known[word] = look_up(word)\n        return self.known[word]\n",
    "a cache that is tried": GAME + TURN + "        word = messages[-1]\n        try:\n"
    "            return self.known[word]\n        except KeyError:\n"
    "            self.known[word] = found = look_up(word)\n        return found\n",
    "a count that is written": GAME + TURN + "        self.calls += 1\n"
    "        if self.calls % 100 == 0:\n            self.logger.info('%s', self.calls)\n"
    "        return []\n",
    "a number for a name": GAME + "    async def setup_state(self, state):\n"
    "        self.opened += 1\n        state['box_name'] = f'box-{self.opened}'\n"
    "        return state\n",
    "games by rollout": GAME + "    async def setup_state(self, state):\n"
    "        self.games[state['trajectory_id']] = [state['answer']]\n"
    "        self.boards[id(state)] = {}\n        return state\n"
    + TURN
    + "        game = self.games[state['trajectory_id']]\n        game.append(messages[-1])\n"
    "        self.boards[id(state)][1] = 'X'\n"
    "        return str(game) + str(self.boards[id(state)])\n",
    "a client that is opened once": GAME + TURN + "        if self.model is None:\n"
    "            self.model = await connect(self.address)\n"
    "        return self.model.ask(messages)\n",
    "a schema that is fetched once": GAME
    + TURN
    + "        return await self._fetch(state['url'])\n"
    "    async def _fetch(self, url):\n        if self.schema is not None:\n"
    "            return self.schema\n        schema = await fetch(url)\n"
    "        self.schema = schema\n        return schema\n",
    "a lock for each key": GAME + TURN + "        key = state['answer']\n"
    "        if key not in self.locks:\n            self.locks[key] = asyncio.Lock()\n"
    "        async with self.locks[key]:\n            return []\n",
    "a pool": GAME + TURN + "        port = self.free.pop()\n        reply = await ask(port)\n"
    "        self.free.append(port)\n        return reply\n",
    "a pause between calls": GAME
    + TURN
    + "        await asyncio.sleep(max(0, 1 - time.time() + self.last))\n"
    "        self.last = time.time()\n        return []\n",
    "the state of a rollout": GAME + "    async def setup_state(self, state):\n"
    "        state['misses'] = 0\n        return state\n"
    + TURN
    + "        state['misses'] += 1\n        return str(state['misses'])\n",
    "a game of one rollout": "class Game:\n    def step(self, action):\n        self.turn += 1\n"
    "        return str(self.turn)\n",
    "an object of another framework": "import gym\nclass Game(gym.Env):\n"
    "    def step(self, action):\n        self.turn += 1\n        return str(self.turn)\n",
    "state of the framework's second API": "class S(vf.State):\n    turn: int = 0\n"
    "    def step(self, action):\n        self.turn += 1\n        return self.turn\n"
    "class T(vf.Toolset):\n    @vf.tool\n    def go(self):\n        self.state.turn += 1\n"
    "        return str(self.state.turn)\n",
    "a copy": GAME + TURN + "        deck = list(self.deck)\n        deck.pop()\n"
    "        rest = self.deck[1:]\n        rest.append(1)\n        return str(deck + rest)\n",
}


@pytest.mark.parametrize("source", ON_OBJECTS.values(), ids=ON_OBJECTS)
def test_an_attribute_of_an_environment_that_rollouts_change_is_a_warning(source: str) -> None:
    [item] = warned("", game=source)
    assert item.severity == "warning"
    assert item.where.startswith("demo_env/game.py:")
    assert "all rollouts of a process share it" in item.message


@pytest.mark.parametrize("source", ON_NO_OBJECT.values(), ids=ON_NO_OBJECT)
def test_attributes_that_rollouts_may_share_are_none(source: str) -> None:
    assert warned("", game=source) == []


def test_a_large_hostile_class_is_read_in_seconds() -> None:
    turns = "".join(
        f"        self.a{n} += b{n - 1}\n        b{n} = b{n - 1}\n" for n in range(1, 2000)
    )
    branches = "".join(
        f"        {'el' if n else ''}if self.a{n}:\n            self.c += b{n}\n" for n in range(80)
    )
    began = time.process_time()
    assert len(warned("", game=(GAME + TURN + turns + branches) * 2)) == 5
    assert time.process_time() - began < 30


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
