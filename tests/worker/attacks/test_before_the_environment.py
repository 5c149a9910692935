"""What dies before the environment's code begins is not its fault, and such a run lists nothing.

Real wheels and real sandboxes: broken machines, missing frameworks, limits reached at once, and
dependencies whose start-up code keeps the worker from reporting.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.worker.attacks.conftest import MIB, Attack, Runner, import_time_files

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(120)]
QUIET = {"quiet/__init__.py": "raise SystemExit('calm')"}
# The whole run of a wheel that reads random bytes and ends itself, on a machine with a file in the
# place of a device.
READS = "open('/dev/urandom', 'rb').read(8); raise SystemExit('calm')"
BROKEN = f"""
source = {READS!r}"""
BROKEN += """
import json, sys
from pathlib import Path
from tests.worker.attacks.conftest import Runner, import_time_files
done = Runner(Path(sys.argv[1])).perform("calm", import_time_files("calm", source))
found = done.outcome.hub.endings[0]["findings"]
print(json.dumps([done.outcome.result, found, done.outcome.hub.facts]))
"""
RESULTS = [
    {"event": "imported"},
    {"event": "loaded", "tasks": [{"index": 0, "hash": "h", "prompt": "p", "reference": True}]},
    {"event": "done"},
]


def platform_message(attack: Attack) -> str:
    """The message of a run that ended as the platform's fault before the environment began."""
    assert attack.outcome.result == ("errored", ["run.runner_error"])
    assert "environment_began" not in attack.outcome.hub.facts
    return str(attack.codes["run.runner_error"]["message"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount over /dev/null")
@pytest.mark.parametrize("device", ["null", "urandom"])
def test_an_unusable_device_is_the_machines_fault(runner: Runner, device: str) -> None:
    broken = runner.home / device
    broken.touch(mode=0o600)
    script = f'mount --bind {broken} /dev/{device} && exec {sys.executable} -c "$0" {runner.home}'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, BROKEN],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    (outcome, codes), (finding,), facts = json.loads(done.stdout.splitlines()[-1])
    assert (outcome, codes) == ("errored", ["run.runner_error"])
    assert "exit code 1" in finding["message"]
    assert f"/dev/{device}" in finding["message"]
    assert "environment_began" not in facts


def test_a_framework_that_is_not_there_is_the_platforms_fault(runner: Runner) -> None:
    message = platform_message(runner.perform("quiet", QUIET))
    assert "while the framework was imported: ModuleNotFoundError" in message


@pytest.mark.skipif(os.geteuid() != 0, reason="the files would be the run's own")
def test_a_framework_that_cannot_be_read_is_the_platforms_fault(runner: Runner) -> None:
    layer = {"verifiers.py": "raise SystemExit('never read')"}
    folder = runner._dependencies(False, layer)
    (folder / "verifiers.py").chmod(0o600)
    assert "Permission" in platform_message(runner.perform("quiet", QUIET, layer=layer))


@pytest.mark.parametrize(
    ("limits", "how"),
    [
        ({"wall_seconds": 0.02}, "the time limit was reached"),
        ({"memory_bytes": 4 * MIB}, "the memory limit was reached"),
    ],
)
def test_a_limit_that_is_reached_before_the_start_is_the_platforms_fault(
    runner: Runner, limits: dict[str, Any], how: str
) -> None:
    assert how in platform_message(runner.perform("quiet", QUIET, **limits))


@pytest.mark.parametrize(
    ("startup", "how"),
    [
        ("import os; os._exit(0)", "the host's process ended with status 0"),
        ("import os; os.kill(os.getpid(), 9)", "the host's process was killed by signal 9"),
        ("import os; os.kill(os.getpid(), 9)", "signal 9"),
        ("import sys; sys.exit(3)", "the host's process ended with status 1"),
    ],
)
def test_start_up_code_of_a_dependency_that_ends_the_worker_holds_the_version(
    runner: Runner, startup: str, how: str
) -> None:
    assert how in platform_message(
        runner.perform("quiet", QUIET, layer={"evil.pth": f"{startup}\n"})
    )


def test_start_up_code_runs_in_the_environments_own_process_alone(runner: Runner) -> None:
    layer = {"sitecustomize.py": "import sys\nprint('STARTED', flush=True)\n"}
    done = runner.perform(
        "calm", import_time_files("calm", "raise SystemExit('calm')"), layer=layer
    )
    assert done.outcome.result == ("failed", ["run.import_failed"])
    started = [line for line in done.outcome.hub.log.splitlines() if line.startswith("STARTED")]
    assert started == ["STARTED"]


def test_results_made_up_by_start_up_code_are_rejected(runner: Runner) -> None:
    lines = "".join(json.dumps(event) + "\n" for event in RESULTS)
    channel = "int(open('/proc/self/cmdline').read().split('\\0')[-2])"
    source = f"import os\nos.write({channel}, {lines!r}.encode())\n"
    layer = {"forger.py": f"{source}os._exit(0)\n", "forger.pth": "import forger\n"}
    message = runner.perform("quiet", QUIET, layer=layer)
    assert message.outcome.result == ("errored", ["run.runner_error"])


def test_a_failure_after_the_environment_began_is_the_environments_fault(runner: Runner) -> None:
    done = runner.perform("calm", import_time_files("calm", "import os\nos.kill(os.getpid(), 9)\n"))
    assert done.outcome.result == ("failed", ["run.killed"])
    assert done.outcome.hub.facts["environment_began"] is True
