"""Tasks that are made from the time of loading are a warning; durations and time stamps are not."""

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
    return [item for item in findings if item.code == "env.clock_in_tasks"]


DATED = (
    (
        "from datetime import date\ndef load_environment():\n    now = date.today()\n"
        "    return [{'question': 'Which month is it?', 'answer': now.strftime('%B')}]\n"
    ),
    (
        "import datetime as dt\ndef age(born):\n    return (dt.date.today() - born).days // 365\n"
        "def load_environment():\n    return [{'question': 'How old?', 'answer': str(age(BORN))}]\n"
    ),
    "import time, random\ndef load_environment():\n    rng = random.Random(time.time())\n",
    "import time\ndef load_environment():\n    return rows.shuffle(seed=int(time.time()))\n",
    "from datetime import datetime\nROWS = [{'prompt': f'It is {datetime.now():%A}. Tomorrow?'}]\n",
    (
        "from datetime import date\ndef row(x):\n"
        "    x = {'answer': date.today().year - x['born']}\n"
        "    return x\ndef load_environment():\n    return dataset.map(row)\n"
    ),
    (
        "from datetime import date\nclass T(vf.Taskset):\n    def load(self):\n"
        "        yield Data(prompt='Which day is it?', answer=f'{date.today():%A}')\n"
    ),
)
UNDATED = (
    (
        "import time\ndef load_environment():\n    began = time.time()\n    rows = load()\n"
        "    return [{'info': time.time() - began}]\n"
    ),
    "import time\ndef load_environment():\n    print(f'loaded at {time.time()}')\n",
    (
        "from datetime import datetime\ndef load_environment():\n"
        "    return [{'question': 'q', 'created_at': datetime.now().isoformat()}]\n"
    ),
    (
        "from datetime import datetime\ndef now():\n"
        "    return {'text': datetime.now().isoformat()}\n"
        "def load_environment():\n    return make(tools=[now])\n"
    ),
    (
        "from datetime import date, timedelta\nFIRST = date(2024, 1, 1)\ndef load_environment():\n"
        "    return [{'answer': str(FIRST + timedelta(days=n))} for n in range(9)]\n"
    ),
    "import time\ndef right(completion):\n    return log({'text': time.time()})\n",
)

ROW = "    return [{'question': 'Which day was it?', 'answer': answer}]\n"
LOAD = "def load_environment():\n"
WRAPPED = {
    "a pair of names": "from datetime import date, timedelta\ndef build_rows(n):\n"
    "    question, answer = f'{n} days ago?', str(date.today() - timedelta(days=n))\n"
    "    return [{'question': question, 'answer': answer}]\n"
    "def load_environment():\n    return make(build_rows(3))\n",
    "a part of a text": "import time\n" + LOAD + "    answer = 'It is '\n"
    "    answer += time.strftime('%A')\n" + ROW,
    "a condition": "import datetime\n" + LOAD + "    hour = datetime.datetime.utcnow().hour\n"
    "    answer = 'morning' if hour < 12 else 'evening'\n" + ROW,
    "a dictionary by question": "from datetime import date\n" + LOAD + "    rows = {}\n"
    "    rows['Which year is it?'] = date.today().year\n"
    "    rows[question] = str(date.today().year)\n"
    "    return [{'question': q, 'answer': a} for q, a in rows.items()]\n",
    "a list of pairs": "import pandas as pd\n" + LOAD + "    pool = []\n    for n in range(9):\n"
    "        pool.append((f'{n}?', (pd.Timestamp.today() - pd.Timedelta(days=n)).isoformat()))\n"
    "    return [{'question': q, 'answer': a} for q, a in pool[:5]]\n",
    "columns": "from datetime import datetime as D\n"
    + LOAD
    + "    answers = [D.today().strftime('%B') for n in range(9)]\n"
    "    return Dataset.from_dict({'question': QUESTIONS, 'answer': answers})\n",
    "an argument of a function": "from datetime import date\ndef row(question, when):\n"
    "    return {'question': question, 'answer': when.isoformat()}\n"
    + LOAD
    + "    return [row('Which day is it?', date.today())]\n",
    "an attribute": "import time\nclass T(vf.Taskset):\n    def __init__(self):\n"
    "        self.year = time.localtime().tm_year\n    def load(self):\n"
    "        yield Data(prompt='Which year is it?', answer=self.year)\n",
    "a field": "from datetime import date\n" + LOAD + "    row = {'question': 'Which day is it?'}\n"
    "    row['answer'] = str(date.today())\n    return [row]\n",
    "an object in order": "from datetime import date\nclass Row:\n    number: int\n"
    "    answer: str\n" + LOAD + "    return [Row(1, str(date.today()))]\n",
    "a name of the function": "from time import localtime as clock\nfrom datetime import date\n"
    + LOAD
    + "    today = date.today\n    answer = '%d %d' % (today().year, clock().tm_mon)\n"
    + ROW,
    "a default of a task": "from datetime import date\nfrom pydantic import Field\n"
    "class DayData(vf.TaskData):\n"
    "    answer: str = Field(default_factory=lambda: str(date.today()))\n",
    "a pair that a function returns": "from datetime import date\ndef draw(n):\n"
    "    day = date.today()\n    return n, day\n" + LOAD + "    n, answer = draw(3)\n" + ROW,
    "a key of facts": "from datetime import date\n"
    + LOAD
    + "    facts = {'year': date.today().year}\n    answer = facts['year'] + 1\n"
    + ROW,
    "a text for now": "import pandas\n"
    + LOAD
    + "    answer = str(pandas.Timestamp('now'))\n"
    + ROW,
    "rows of a module": "from datetime import date\ndef row(n):\n"
    "    return {'question': 'Which year is it?', 'answer': date.today().year + n}\n"
    "ROWS = [row(n) for n in range(9)]\n",
}
HARMLESS = {
    "elapsed seconds": "import time\ndef elapsed(start):\n    return time.time() - start\n"
    + LOAD
    + "    began = time.time()\n    rows = fetch()\n"
    "    return [{'question': 'q', 'info': elapsed(began)}]\n",
    "a performance counter": "import time\n" + LOAD + "    began = time.perf_counter()\n"
    "    return [{'question': 'q', 'info': time.perf_counter(), 'text': time.monotonic()}]\n",
    "log lines": "import logging, time\nlogger = logging.getLogger('x')\n"
    + LOAD
    + "    logger.info('at %s', time.time(), extra={'text': time.time()})\n"
    "    answer = 'Monday'\n" + ROW,
    "the age of a cache": "import os, time\n"
    + LOAD
    + "    fresh = time.time() - os.path.getmtime('rows') < 3600\n"
    "    rows = read('rows') if fresh else fetch(fresh)\n"
    "    return [{'question': r['q'], 'answer': r['a']} for r in rows]\n",
    "a limit of time": "import time\n" + LOAD + "    deadline = time.time() + 60\n"
    "    while time.time() < deadline:\n        rows = fetch(until=deadline)\n"
    "    return [{'question': r, 'answer': r} for r in rows]\n",
    "a seed of sampling": "import time\n"
    + LOAD
    + "    return make(sampling_args={'seed': int(time.time())})\n",
    "a pause": "import random, time\n" + LOAD + "    rng = random.Random(time.time())\n"
    "    time.sleep(rng.random())\n    answer = 'Monday'\n" + ROW,
    "a time stamp beside an answer": "import time\n" + LOAD + "    rows = []\n"
    "    for n in range(9):\n        rows.append((f'{n}?', n, time.time()))\n"
    "    return [{'question': q, 'answer': n} for q, n, _ in rows]\n",
    "a time stamp of a row": "import time\n"
    + LOAD
    + "    rows = [{'q': 'q', 'a': 'b', 'loaded': time.time()}]\n"
    "    return [{'question': r['q'], 'answer': r['a']} for r in rows]\n",
    "a given time": "import time\n"
    + LOAD
    + "    answer = time.strftime('%A', time.gmtime(86400))\n"
    + ROW,
    "another local of that name": "import time\ndef show():\n    answer = time.time()\n"
    "    print(answer)\n" + LOAD + "    answer = 'Monday'\n" + ROW,
    "a helper that also prints": "import time\ndef form(x):\n    return f'{x:.1f}'\n"
    + LOAD
    + "    print(form(time.time()))\n    answer = form(2.5)\n"
    + ROW,
    "a limit of a client": "import time\n" + LOAD + "    client = Client(until=time.time() + 9)\n"
    "    answer = client.name\n" + ROW,
    "the names of a folder": "import time\n"
    + LOAD
    + "    store = {'folder': f'run-{time.time()}'}\n    answer = 'Monday'\n"
    + ROW,
}


@pytest.mark.parametrize("source", WRAPPED.values(), ids=WRAPPED)
def test_the_time_of_loading_is_found_however_it_gets_into_a_task(source: str) -> None:
    items = warned(source)
    assert len(items) == 1
    assert items[0].where.startswith("demo_env/__init__.py:")


def test_the_time_of_loading_is_found_in_another_module() -> None:
    source = "from demo_env.days import DAY, text\n" + LOAD + "    answer = text(DAY)\n" + ROW
    days = "from datetime import date\nDAY = date.today()\ndef text(day):\n    return str(day)\n"
    assert len(warned(source, days=days)) == 1


@pytest.mark.parametrize("source", HARMLESS.values(), ids=HARMLESS)
def test_clocks_beside_the_tasks_are_none(source: str) -> None:
    assert warned(source) == []


@pytest.mark.slow
def test_a_large_hostile_file_is_read_in_seconds() -> None:
    nested = "".join(
        f"    v{n} = (v{n - 1}, v{n - 1}, {'(' * 60}v{n - 1}{',)' * 60})\n" for n in range(1, 500)
    )
    source = (
        f"import time\ndef load():\n    v0 = time.time()\n{nested}    return {{'answer': v499}}\n"
    )
    began = time.process_time()
    assert len(warned(source * 2)) == 1
    assert time.process_time() - began < 30


@pytest.mark.parametrize("source", DATED)
def test_tasks_made_from_the_time_of_loading_are_a_warning(source: str) -> None:
    [item] = warned(source)
    assert item.severity == "warning"
    assert item.where.startswith("demo_env/__init__.py:")
    assert "another day gives another answer" in item.message


@pytest.mark.parametrize("source", UNDATED)
def test_durations_time_stamps_and_clocks_of_tools_are_none(source: str) -> None:
    assert warned(source) == []
