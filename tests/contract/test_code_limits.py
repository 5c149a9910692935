"""The static checks read a wheel's code once and within limits, however it was made."""

from __future__ import annotations

import io
import sys
from collections import Counter
from types import FrameType
from typing import Any

import pytest

from envyard.contract.detect import Detection
from envyard.contract.examine import examine
from envyard.contract.findings import Finding
from envyard.contract.inline_scripts import inline_scripts
from envyard.contract.sources import Sources
from envyard.contract.syntax import MAX_IMPORTS, MAX_NODES
from tests.wheels import TASKSET, filename, make_wheel

CODE = "env.code_over_limit"


def read(init: str = TASKSET, **files: str) -> tuple[list[Finding], Detection]:
    members = {f"demo_env/{path}.py": text for path, text in files.items()}
    wheel = make_wheel(files={"demo_env/__init__.py": init, **members})
    return examine(io.BytesIO(wheel), filename=filename())


def over_limit(findings: list[Finding]) -> list[Finding]:
    return [item for item in findings if item.code == CODE]


def test_each_file_is_parsed_and_walked_once_for_all_checks() -> None:
    parsed: Counter[str] = Counter()
    walked: Counter[int] = Counter()

    def count(frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_call" and argument.__name__ == "compile" and "source" in frame.f_locals:
            parsed[frame.f_code.co_name] += 1
        if event == "call" and frame.f_code.co_name == "walk" and "node" in frame.f_locals:
            node = frame.f_locals["node"]
            walked[id(node)] += type(node).__name__ == "Module" and frame.f_lasti <= 0

    init = TASKSET + "from . import one, two\nimport datasets\ndatasets.load_dataset('a/b')\n"
    wheel = make_wheel(files={"demo_env/__init__.py": init, "demo_env/one.py": "import os\n",
                              "demo_env/two.py": "from .one import os\n"})  # fmt: skip
    sys.setprofile(count)
    try:
        findings, detection = examine(io.BytesIO(wheel), filename=filename())
    finally:
        sys.setprofile(None)
    assert not over_limit(findings)
    assert [need.kind for need in detection.needs] == ["data"]
    assert parsed["parse"] == 3
    assert walked.total() == 0  # by `syntax`, which keeps the nodes


@pytest.mark.slow
def test_code_beyond_the_limit_is_named_and_not_read() -> None:
    files = {f"big{number}": "a = b\n" * (MAX_NODES // 6) for number in range(3)}
    findings, detection = read(**files)
    (item,) = over_limit(findings)
    assert detection.entry == "WordTaskset"
    assert (item.severity, item.where) == ("warning", "demo_env/big1.py")
    assert "'demo_env/big1.py' and 1 more files were not read" in item.message
    assert str(MAX_NODES) in item.message


@pytest.mark.parametrize(
    "source",
    ["from . import " + ",".join(["a"] * 90) + "\n", "import a\n"],
    ids=["many to a statement", "one to a statement"],
)
def test_imported_names_have_a_limit_of_their_own(source: str) -> None:
    names = source.count("a")
    findings, _ = read(more=source * (MAX_IMPORTS // names - 50))
    assert not over_limit(findings)
    findings, _ = read(more=source * (MAX_IMPORTS // names + 1))
    assert [item.where for item in over_limit(findings)] == ["demo_env/more.py"]


def test_files_that_are_not_python_count_by_their_bytes() -> None:
    files = {f"broken{number}": "a " * 200_000 for number in range(4)}
    findings, detection = read(**files)
    assert detection.entry == "WordTaskset"
    (item,) = over_limit(findings)
    assert item.where == "demo_env/broken2.py"


@pytest.mark.slow
def test_an_environment_beyond_the_limit_is_refused_for_that() -> None:
    findings, detection = read("a\n" * (MAX_NODES // 2) + TASKSET)
    assert detection == Detection()
    assert [(item.code, item.severity) for item in findings if item.severity == "error"] == [
        (CODE, "error")
    ]


@pytest.mark.parametrize(
    "source",
    [
        "f" + "()" * 900 + "\n",
        "import verifiers as vf\nvf" + ".a" * 900 + "\n",
        "import verifiers as vf\n" + "lambda a: " * 80 + "vf\n",
        "".join(f"{' ' * n}def load_environment():\n" for n in range(90)) + " " * 90 + "a\n",
        "type a" + " " * 500_000 + "\n(",
        "".join(f"class A{n}(A{n - 1}): ...\n" for n in range(1, 3000)) + "__all__ = ['A2999']\n",
    ],
    ids=["calls", "attributes", "lambdas", "functions", "blanks", "classes"],
)
def test_nested_code_harms_no_check(source: str) -> None:
    findings, detection = read(TASKSET + "from . import nested\n", nested=source)
    assert detection.entry == "WordTaskset"
    assert not over_limit(findings)


def test_members_are_read_once_for_several_uses() -> None:
    members = {"demo_env.py": b"SCRIPT = '# /// script'\n"}
    sources = Sources(members)
    assert Sources.of(sources) is sources
    assert dict(sources) == members
    assert inline_scripts(sources) == inline_scripts(members) == ()
