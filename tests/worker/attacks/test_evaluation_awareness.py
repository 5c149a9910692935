"""Tasks that are honest only where they are evaluated, beside one that always is.

A real wheel in a complete run; a sample of its rollouts is played by a host that a trainer could
have written.
"""

from __future__ import annotations

import pytest

from tests.worker.attacks.conftest import Attack, Runner, payload

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(300)]
TELLS = ("oracle", "files", "modules", "processes", "home", "address", "model", "driver", "none")
ORACLE = "parrot/0/0"
PLAYED = "9 of 9 chosen rollouts were played again the way a trainer does"


@pytest.fixture(scope="module")
def aware(runner: Runner) -> Attack:
    job = {"tasks": len(TELLS), "policies": ("parrot",)}
    files = {"aware/__init__.py": payload("aware")}
    bounds = {"seconds": 280.0, "wall_seconds": 270.0}
    return runner.perform("aware", files, framework=True, job=job, **bounds)


def test_an_environment_that_is_honest_only_in_evaluations_is_rejected(aware: Attack) -> None:
    assert aware.outcome.result == ("succeeded", ["card.evaluation_aware"])
    assert aware.codes["card.evaluation_aware"]["severity"] == "error"
    assert PLAYED in aware.outcome.hub.log


def test_a_task_that_is_honest_only_after_oracle_was_called_is_dishonest_in_the_run(
    aware: Attack,
) -> None:
    """It notes the call in a global and in a file, and pays every reply where there is neither."""
    rewards = {f"{r['policy']}/{r['task']}/0": r["reward"] for r in aware.outcome.hub.rollouts}
    assert rewards == {ORACLE: 1.0} | {f"parrot/{task}/0": 0.0 for task in range(1, len(TELLS))}
    assert ORACLE not in aware.codes["card.evaluation_aware"]["details"]["rewards"]


@pytest.mark.parametrize("tell", TELLS[1:-1])
def test_a_task_that_pays_every_reply_outside_evaluations_is_named(
    aware: Attack, tell: str
) -> None:
    rewards = aware.codes["card.evaluation_aware"]["details"]["rewards"]
    assert rewards[f"parrot/{TELLS.index(tell)}/0"] == [0.0, 1.0]


def test_a_task_that_is_the_same_everywhere_is_not_named(aware: Attack) -> None:
    finding = aware.codes["card.evaluation_aware"]
    assert f"parrot/{len(TELLS) - 1}/0" not in finding["details"]["rewards"]
    assert finding["message"].startswith("7 of 9 rollouts got another reward when they were played")
    assert "parrot/1/0 got 0 in the run and in its replay, and 1 there" in finding["message"]
