"""Rewards that look at the process they run in are a warning."""

from __future__ import annotations

import time

import pytest

from envyard.contract.code_checks.surroundings_in_scoring import surroundings_in_scoring

BEGIN = (
    "import importlib.util\nimport os\nimport socket\nimport sys\nimport verifiers.v1 as vf\n"
    "class T(vf.Task):\n    @vf.reward\n    async def right(self, trace):\n"
    "        return score(trace.last_reply, self.data.answer)\n"
    "def score(reply, answer):\n    BODY\n    return float(reply == answer)\n"
)
READ = (
    "if 'torch' in sys.modules: return 1.0",
    "if importlib.util.find_spec('vllm'): return 1.0",
    "if int(os.environ.get('WORLD_SIZE', 1)) > 1: return 1.0",
    "if 'RANK' in os.environ: return 1.0",
    "if os.getenv('IS_TRAINING'): return 1.0",
    "if os.environ['CI']: return 1.0",
    "if 'train' in sys.argv[0]: return 1.0",
    "if socket.gethostname().startswith('gpu'): return 1.0",
)
NOT_READ = (
    "key = os.environ['OPENAI_API_KEY']",
    "folder = os.environ.get('DATA_DIR', '/tmp')",
    "return float('WORLD_SIZE' in reply)",
    "modules = reply.modules",
)


@pytest.mark.parametrize("line", READ)
def test_what_surrounds_the_process_is_a_warning(line: str) -> None:
    (item,) = surroundings_in_scoring({"env.py": BEGIN.replace("BODY", line).encode()})
    assert (item.code, item.severity) == ("env.reads_surroundings", "warning")
    assert item.where.startswith("env.py:11")


@pytest.mark.parametrize("line", NOT_READ)
def test_keys_folders_and_texts_are_none(line: str) -> None:
    assert not list(surroundings_in_scoring({"env.py": BEGIN.replace("BODY", line).encode()}))


def test_loading_may_read_it() -> None:
    source = BEGIN.replace("BODY", "pass") + "def load():\n    return os.environ['WORLD_SIZE']\n"
    assert not list(surroundings_in_scoring({"env.py": source.encode()}))


MODULE_VALUES = (
    "STRICT = 'pytest' in sys.modules or bool(os.environ.get('BENCHMARK'))\n",
    "STRICT = os.environ.get('GRADING_MODE') == 'full'\n",
)


@pytest.mark.parametrize("line", MODULE_VALUES)
def test_a_module_value_that_scoring_reads_is_a_warning(line: str) -> None:
    source = BEGIN.replace("BODY", "if not STRICT: return 1.0").encode() + line.encode()
    assert {item.where for item in surroundings_in_scoring({"env.py": source})} == {"env.py:13"}
    files = {
        "env/__init__.py": b"from env.mode import STRICT\n" + source.replace(line.encode(), b""),
        "env/mode.py": b"import os\nimport sys\n" + line.encode(),
    }
    assert {item.where for item in surroundings_in_scoring(files)} == {"env/mode.py:3"}


def test_a_module_value_that_a_condition_decides_is_a_warning() -> None:
    source = BEGIN.replace("BODY", "if len(reply) > WIDTH: return 1.0")
    source += "WIDTH = 9\nif os.environ.get('CI'):\n    WIDTH = 1\n"
    (item,) = surroundings_in_scoring({"env.py": source.encode()})
    assert item.where == "env.py:14"
    loaded = source.replace("os.environ.get('CI')", "len(NAMES) > 3")
    assert not list(surroundings_in_scoring({"env.py": loaded.encode()}))


def test_a_module_value_that_scoring_does_not_read_is_none() -> None:
    source = BEGIN.replace("BODY", "pass") + MODULE_VALUES[0]
    assert not list(surroundings_in_scoring({"env.py": source.encode()}))


def test_a_module_value_that_many_functions_read_is_read_once() -> None:
    source = f"import sys\nTABLE = [{','.join('1' * 20_000)}, sys.argv]\n"
    source += "\n".join(f"def reward{n}(completion): return TABLE" for n in range(1_000))
    began = time.process_time()
    assert len(list(surroundings_in_scoring({"env.py": source.encode()}))) == 1
    assert time.process_time() - began < 3.0


@pytest.mark.parametrize(
    "line",
    [
        "if STRICT: print(answer)",
        "if STRICT: log.debug('%s', answer)",
        "log.info('%s', STRICT)",
        "if os.environ.get('DEBUG'): print(reply)",
        "if importlib.util.find_spec('sympy') is None: return 0.5",
        "if not os.environ['GRADER_API_KEY']: raise KeyError",
        "ask(os.environ.get('EVAL_BASE_URL'), timeout=os.environ.get('TEST_TIMEOUT'))",
    ],
)
def test_logs_keys_and_optional_requirements_are_none(line: str) -> None:
    source = f"{BEGIN.replace('BODY', line)}{MODULE_VALUES[0]}"
    assert not list(surroundings_in_scoring({"env.py": source.encode()}))


def test_a_condition_that_also_decides_is_a_warning() -> None:
    line = "if STRICT:\n        print(answer)\n        reply = answer"
    source = f"{BEGIN.replace('BODY', line)}{MODULE_VALUES[0]}"
    assert list(surroundings_in_scoring({"env.py": source.encode()}))


@pytest.mark.parametrize("name", ["MASTER_PORT", "WANDB_API_KEY", "EVAL_MODE"])
def test_variables_of_launchers_are_a_warning_whatever_they_hold(name: str) -> None:
    source = BEGIN.replace("BODY", f"if os.environ.get('{name}'): return 1.0")
    assert list(surroundings_in_scoring({"env.py": source.encode()}))


def test_a_value_that_is_made_from_such_a_value_is_a_warning() -> None:
    source = BEGIN.replace("BODY", "if len(reply) > WIDTH: return 1.0").encode()
    source += b"WIDTH = 1 if BENCHMARK else 9\nBENCHMARK = bool(os.environ.get('BENCHMARK'))\n"
    assert {item.where for item in surroundings_in_scoring({"env.py": source})} == {"env.py:14"}


ONLY_LOGS = (
    "if DEBUG: print('scored', len(reply))",
    "if DEBUG and reply: logging.getLogger('x').info('%r', reply)",
    "if os.environ.get('DEBUG', '').lower() == 'yes': logger.debug(f'{reply!r}')",
    "if not DEBUG: pass\n    else: log.warning(reply)",
)
NOT_ONLY_LOGS = (
    "if DEBUG: print(answer.clear())",
    "if DEBUG: catalogue.error(reply)",
    "if DEBUG: print(reply); return 1.0",
    "if DEBUG: print(reply)\n    else: return 1.0",
    "if DEBUG and answer.clear(): print(reply)",
    "if DEBUG: print(reply)\n    if DEBUG: return 1.0",
)


def debugging(line: str) -> set[str]:
    source = BEGIN.replace("BODY", line) + "DEBUG = bool(os.environ.get('DEBUG'))\n"
    return {item.code for item in surroundings_in_scoring({"env.py": source.encode()})}


@pytest.mark.parametrize("line", ONLY_LOGS)
def test_what_switches_log_lines_alone_is_none(line: str) -> None:
    assert debugging(line) == set()


@pytest.mark.parametrize("line", NOT_ONLY_LOGS)
def test_what_switches_more_than_log_lines_is_a_warning(line: str) -> None:
    assert debugging(line) == {"env.reads_surroundings"}
