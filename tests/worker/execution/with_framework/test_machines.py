"""Environments that need container images are held, and no author is blamed for the images."""

from __future__ import annotations

import pytest

from tests.worker.execution.with_framework.conftest import Runner

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(400)]


def needed(runner: Runner, api: str, module: str) -> tuple[tuple[str, list[str]], list[str]]:
    """The result of a run, and the images that its finding names."""
    files = {"__init__.py": f"{module}.py"}
    limits = {"rollout_seconds": 180.0}  # under load a rollout's own process starts slowly
    outcome = runner.perform(
        api, files, module=module, policies=("silent",), tasks=3, limits=limits
    ).outcome
    (finding,) = outcome.hub.endings[0]["findings"]
    assert "start none" in finding["message"]
    return outcome.result, finding["details"]["names"]


def test_a_classic_environment_with_a_sandbox_loads_and_is_held(runner: Runner) -> None:
    assert needed(runner, "v0", "boxes") == (("errored", ["needs.machine"]), ["python:3.11-slim"])


def test_a_tunnel_for_a_sandbox_holds_the_version_and_contacts_no_host(runner: Runner) -> None:
    assert needed(runner, "v0", "tunnels") == (("errored", ["needs.machine"]), ["container"])


def test_a_reward_that_hides_the_missing_sandbox_does_not_hide_the_need(runner: Runner) -> None:
    result = needed(runner, "v0", "swallows")
    assert result == (("errored", ["needs.machine"]), ["ghcr.io/example/judge:2"])


def test_tasks_that_name_an_image_or_need_any_container_are_held(runner: Runner) -> None:
    result, images = needed(runner, "v1", "images")
    assert result == ("errored", ["needs.machine"])
    assert images == ["debian:12", "container"]
