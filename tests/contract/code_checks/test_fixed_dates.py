"""Code that compares the clock with a fixed date is a warning: no run shows what it does later."""

import io
import time

import pytest

from envyard.contract.examine import examine
from envyard.contract.findings import Finding
from tests.wheels import TASKSET, filename, make_wheel


def warned(source: str) -> list[Finding]:
    files: dict[str, str | bytes] = {"demo_env/__init__.py": TASKSET + "\n" + source}
    findings, _ = examine(io.BytesIO(make_wheel(files=files)), filename=filename())
    return [item for item in findings if item.code == "env.fixed_date"]


DATED = (
    "import datetime\nf = lambda: datetime.date.today() >= datetime.date(2027, 1, 15)\n",
    "from datetime import date as d\nLAST = d(2027, 1, 15)\nf = lambda: LAST < d.today()\n",
    "import time\nf = lambda: time.time() > 1_800_000_000\n",
    "from time import time\ndef f():\n    now = time()\n    return now > 1.8e9\n",
    "import datetime as dt\nf = lambda: dt.datetime.now(dt.timezone.utc).year >= 2027\n",
    "from datetime import datetime as d\nE = d.fromisoformat('2027-01-15')\nf = d.now() > E\n",
    "import time\nf = lambda: time.strftime('%Y-%m-%d') > '2027-01-15'\n",
    "import time\ndef now():\n    return time.time()\nf = lambda: now() > 1.8e9\n",
)
UNDATED = (
    "import time\nstart = time.time()\nf = lambda: time.time() - start > 5\n",
    "import time\nend = time.time() + 5\nf = lambda: time.time() < end\n",
    "import datetime\nFROM = datetime.date(2020, 1, 1)\nf = lambda row: row.date >= FROM\n",
    "import time\nseed = time.time()\nBIG = 2_000_000_000\nf = lambda n: n < BIG\n",
    "import datetime\nf = lambda age: datetime.date.today().year > age\n",
)


@pytest.mark.parametrize("source", DATED)
def test_a_comparison_of_the_clock_with_a_date_is_a_warning(source: str) -> None:
    [item] = warned(source)
    assert item.severity == "warning"
    assert item.where.startswith("demo_env/__init__.py:")
    assert "compares the clock with a fixed date" in item.message


@pytest.mark.parametrize("source", UNDATED)
def test_durations_deadlines_and_dates_of_tasks_are_none(source: str) -> None:
    assert warned(source) == []


@pytest.mark.slow
def test_a_large_hostile_file_is_read_in_seconds() -> None:
    chain = "x = now() " + "".join(f"< (now() + {n}" for n in range(80)) + ")" * 80 + "\n"
    began = time.process_time()
    assert warned("from datetime import datetime\nnow = datetime.now\n" + chain * 200) == []
    assert time.process_time() - began < 30
