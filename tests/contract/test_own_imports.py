"""Imports of the wheel's own modules that it does not hold are a warning before the upload."""

import io
import time

import pytest

from envyard.contract.examine import examine
from envyard.contract.findings import Finding
from tests.wheels import TASKSET, filename, make_wheel

INIT = "demo_env/__init__.py"


def missing(source: str, **files: str) -> list[Finding]:
    members: dict[str, str | bytes] = {INIT: TASKSET + source}
    members |= {f"demo_env/{path}": text for path, text in files.items()}
    findings, _ = examine(io.BytesIO(make_wheel(files=members)), filename=filename())
    return [item for item in findings if item.code == "env.module_missing"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from demo_env.scoring import score\n", "demo_env.scoring"),
        ("from .scoring import score\n", "demo_env.scoring"),
        ("import demo_env.prompts.system\n", "demo_env.prompts"),
        ("class Late:\n    from demo_env.scoring import score\n", ""),
        ("import other.scoring\n", ""),
        ("from demo_env import score\n", ""),
        ("try:\n    from .scoring import score\nexcept ImportError:\n    score = None\n", ""),
        ("def f():\n    from .scoring import score\n", ""),
        ("import sys\nsys.modules[__name__ + '.scoring'] = sys\nfrom .scoring import argv\n", ""),
        ("__path__.append('x')\nfrom .scoring import score\n", ""),
    ],
)
def test_a_module_of_its_own_that_the_wheel_lacks_is_a_warning(source: str, name: str) -> None:
    findings = missing(source)
    assert [(item.severity, name in item.message) for item in findings] == (
        [("warning", True)] if name else []
    )


def test_only_modules_that_the_environment_imports_count() -> None:
    broken = {"broken.py": "from .scoring import score\n"}
    assert missing("", **broken) == []
    [item] = missing("from . import broken\n", **broken)
    assert item.where == "demo_env/broken.py:1"
    assert missing("from . import broken\nbroken = 1\n", **broken) == []
    assert missing("from .data import words\n", **{"data/words.txt": "a"}) == []
    assert missing("from .big import A\n", **{"big.py": "A = 1\n" + "# \n" * 400_000}) == []


@pytest.mark.slow
def test_thousands_of_imports_are_read_in_bounded_time() -> None:
    start = time.process_time()
    assert (
        missing("from . import more\n" * 20_000, **{"more.py": "from . import a\n" * 20_000}) == []
    )
    assert time.process_time() - start < 10
