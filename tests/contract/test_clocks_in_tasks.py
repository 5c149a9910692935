"""Tasks that are made from the time of loading are a warning; durations and time stamps are not."""

import io

import pytest

from envyard.contract.examine import examine
from envyard.contract.findings import Finding
from tests.wheels import TASKSET, filename, make_wheel


def warned(source: str) -> list[Finding]:
    files: dict[str, str | bytes] = {"demo_env/__init__.py": TASKSET + "\n" + source}
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


@pytest.mark.parametrize("source", DATED)
def test_tasks_made_from_the_time_of_loading_are_a_warning(source: str) -> None:
    [item] = warned(source)
    assert item.severity == "warning"
    assert item.where.startswith("demo_env/__init__.py:")
    assert "another day gives another answer" in item.message


@pytest.mark.parametrize("source", UNDATED)
def test_durations_time_stamps_and_clocks_of_tools_are_none(source: str) -> None:
    assert warned(source) == []
