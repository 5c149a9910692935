import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bug_fix import BugFixTaskset, judge, workspace
from bug_fix.repositories import KINDS, MOST, build, repositories
from bug_fix.server import RepositoryToolset
from bug_fix.taskset import BugFixConfig


def broken_pages():
    """The repository whose page_count drops the last page."""
    blueprint, bug = KINDS[0]
    return build(blueprint, bug, adjective="amber", seed="0")


def with_code(repository, code: str) -> dict[str, str]:
    """The broken repository with some code in front of its counting module."""
    path = repository.bug_path
    return {**repository.broken, path: code + "\n" + repository.broken[path]}


def judged(repository, files) -> float:
    return judge.passed(files, right=repository.right, hidden=repository.hidden)


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_hidden_tests_distinguish_every_bug_from_its_repair(kind):
    blueprint, bug = KINDS[kind]
    repository = build(blueprint, bug, adjective="brisk", seed=f"9/{kind}")
    share = judged(repository, repository.broken)
    assert 0.0 < share < 1.0
    files = dict(repository.broken)
    message = workspace.edit(files, repository.bug_path, repository.bug_text, repository.right_text)
    assert message == f"edited {repository.bug_path}"
    assert files == repository.right


def test_the_right_repository_passes_its_visible_and_hidden_tests():
    repository = broken_pages()
    assert judged(repository, repository.right) == 1.0
    assert judge.report(repository.right).endswith("2 passed, 0 failed")


FORGERIES = {
    "prints a pass": "print('passed'); print('[]')",
    "exits early with success": "import os\nos._exit(0)",
    "raises SystemExit": "import sys\nsys.exit(0)",
    "writes results to every descriptor": (
        "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'[true]')\n"
        "    except OSError: pass\nos._exit(0)"
    ),
    "patches json": "import json\njson.dumps = lambda *a, **k: 'true'",
    "returns what equals everything": (
        "class Any(int):\n    __eq__ = lambda *a: True\n    __hash__ = int.__hash__\n"
        "def page_count(total, size):\n    return Any(7)"
    ),
    "patches the runner": "import sys\nsys.modules['__main__'].run_calls = lambda calls: [1]",
}


@pytest.mark.parametrize("code", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_pass_cannot_be_faked_from_inside(code):
    repository = broken_pages()
    assert judged(repository, with_code(repository, code)) < 1.0


@pytest.mark.parametrize(
    "code",
    [
        f"open({str(Path(judge.__file__))!r}).read()",
        "open('/etc/passwd').read()",
        "import os\nos.listdir('/')",
        "import subprocess\nsubprocess.run(['true'])",
        "import _posixsubprocess",
        "import ctypes",
        "import os\nos.fork()",
        "import socket\nsocket.socket()",
        "import os\nos.symlink('/etc/passwd', 'x')",
        "import bug_fix",
    ],
)
def test_the_repository_cannot_look_or_reach_outside(code):
    output = judge.report(with_code(broken_pages(), code))
    assert "PermissionError" in output or "ModuleNotFoundError" in output
    assert "passed test" not in output


def test_an_endless_loop_ends_and_memory_and_output_are_bounded():
    repository = broken_pages()
    request = {"mode": "tests", "files": ["tests/test_amber_pages.py"]}
    looping = judge.run(with_code(repository, "while True: pass"), request, seconds=0.5)
    assert looping.timed_out
    assert looping.outcomes is None
    greedy = judge.run(with_code(repository, "x = bytearray(10**10)"), request)
    assert "MemoryError" in str(greedy.outcomes)
    loud = judge.run(with_code(repository, "while True: print('x' * 10000)"), request)
    assert loud.outcomes is None or "Error" in str(loud.outcomes)
    assert len(loud.printed) <= judge.MOST_BYTES


def test_the_child_inherits_no_environment_variables(monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_HOST", "tell-tale")
    code = "import os\nraise ValueError(str(dict(os.environ)))"
    output = judge.report(with_code(broken_pages(), code))
    assert "ValueError" in output
    assert "tell-tale" not in output


@pytest.mark.parametrize(
    "path", ["../x.py", "/etc/passwd", "amber_pages/../../x", "", "amber_pages", "x" * 10_000]
)
def test_paths_that_are_no_file_of_the_repository_are_refused(path):
    files = dict(broken_pages().broken)
    before = dict(files)
    assert workspace.read(files, path).startswith("error: there is no file")
    assert workspace.edit(files, path, "a", "b").startswith("error: there is no file")
    assert files == before


@pytest.mark.parametrize(
    ("old_text", "reason"), [("", "0 times"), ("nowhere", "0 times"), ("size", "times")]
)
def test_an_edit_needs_one_place(old_text, reason):
    repository = broken_pages()
    files = dict(repository.broken)
    assert reason in workspace.edit(files, repository.bug_path, old_text, "x")
    assert files == repository.broken


def test_visible_tests_cannot_be_edited_and_files_cannot_grow_without_end():
    repository = broken_pages()
    files = dict(repository.broken)
    (tests,) = [path for path in files if path.startswith("tests/")]
    assert "read-only" in workspace.edit(files, tests, "== 2", "== 3")
    message = workspace.edit(files, repository.bug_path, repository.bug_text, "x" * 30_000)
    assert "more than 20000 characters" in message


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ([1, "a"], [1, "a"], True),
        (True, 1, False),
        (1, 1.0, False),
        (0.1 + 0.2, 0.3, True),
        ({"a": 1}, {"a": 2}, False),
        ([1, 2], [1], False),
    ],
)
def test_values_are_compared_with_their_types(first, second, equal):
    assert judge.same(first, second) is equal


def test_a_hundred_tasks_differ_and_neither_prompt_nor_tools_hold_the_repair():
    tasks = list(BugFixTaskset(BugFixConfig(id="bug-fix", num_tasks=100)))
    assert len({task.data.prompt for task in tasks}) == 100
    assert RepositoryToolset.TOOL_PREFIX is None
    for task in tasks:
        assert task.data.right_text not in task.data.prompt
        assert task.data.right[task.data.bug_path] not in task.data.broken.values()


def test_the_oracle_edits_tests_and_then_stops():
    task = next(iter(BugFixTaskset(BugFixConfig(id="bug-fix", num_tasks=1))))
    files, messages = dict(task.data.broken), []
    while isinstance(reply := task.oracle(messages), dict):
        (call,) = reply["tool_calls"]
        if call["function"]["name"] == "edit_file":
            workspace.edit(files, **json.loads(call["function"]["arguments"]))
        messages.append(reply)
    assert len(messages) == 2
    assert files == task.data.right


def test_every_repository_there_is_differs():
    prompts = {(r.package, r.report) for r in repositories(seed=4, count=MOST)}
    assert len(prompts) == MOST


def test_same_seed_gives_the_same_repositories_in_another_process():
    code = (
        "import sys, types; m = types.ModuleType('bug_fix'); m.__path__ = ['bug_fix'];"
        "sys.modules['bug_fix'] = m; from bug_fix.repositories import repositories;"
        "print(list(repositories(seed=7, count=40)))"
    )
    here = str(list(repositories(seed=7, count=40)))
    for hash_seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == here
