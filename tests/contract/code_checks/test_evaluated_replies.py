"""Text of a policy that is evaluated in the process that scores it is a warning."""

from __future__ import annotations

import io

import pytest

from envyard.contract.code_checks.evaluated_replies import evaluated_replies
from envyard.contract.examine import examine
from tests.wheels import TASKSET, filename, make_wheel

REWARD = "def load_environment():\n    def right(completion, answer):\n        return {}\n"
EVALUATED = (
    REWARD.format("float(eval(completion[-1]['content']) == answer)"),
    REWARD.format("exec(compile(completion, 'reply', 'exec'))"),
    REWARD.format("check(completion)") + "def check(text):\n    return eval(text)\n",
    (
        "import builtins\nclass T(vf.Toolset):\n    @vf.tool\n    def calculate(self, text):\n"
        "        return builtins.eval(text)\n"
    ),
)
NOT_EVALUATED = (
    REWARD.format("ast.literal_eval(completion)"),
    REWARD.format("model.eval()"),
    REWARD.format("eval('1 + 1')"),
    REWARD.format("subprocess.run([sys.executable, '-c', f'exec({completion!r})'])"),
    "def load_environment():\n    return eval(open('tasks').read())\n",
)


@pytest.mark.parametrize("source", EVALUATED)
def test_text_that_is_evaluated_in_a_reward_or_tool_is_a_warning(source: str) -> None:
    (item,) = evaluated_replies({"env.py": source.encode()})
    assert (item.code, item.severity) == ("env.evaluates_reply", "warning")
    assert item.where.startswith("env.py:")


@pytest.mark.parametrize("source", NOT_EVALUATED)
def test_literals_methods_other_processes_and_loading_are_none(source: str) -> None:
    assert list(evaluated_replies({"env.py": source.encode()})) == []


def test_hub_check_names_the_place() -> None:
    files: dict[str, str | bytes] = {"demo_env/__init__.py": TASKSET + "\n" + EVALUATED[2]}
    wheel = make_wheel(files=files)
    findings, _ = examine(io.BytesIO(wheel), filename=filename())
    assert "env.evaluates_reply" in {item.code for item in findings}
