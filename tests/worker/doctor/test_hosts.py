"""The doctor reaches a host as the proxy of a run does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.doctor.check import CheckFailed
from envyard_runner.doctor.hosts import check_hosts
from tests.worker.proxy.hosts import PUBLIC, Resolver, echo, serving


def config(folder: Path, **settings: str) -> Config:
    return Config.from_environment({"RUNNER_HOME": str(folder), "RUNNER_HOSTS": "yes", **settings})


def test_a_host_that_is_reached_is_named(tmp_path: Path) -> None:
    async def check() -> str:
        async with serving(echo) as port:
            resolver = Resolver({"huggingface.co": [[PUBLIC]]}, {PUBLIC: port})
            return await check_hosts(config(tmp_path), resolver.outside)

    assert asyncio.run(check()).startswith("huggingface.co was looked up and reached")


def test_each_failure_is_named_with_the_next_step(tmp_path: Path) -> None:
    resolver = Resolver({"pypi.org": [["10.0.0.1"]], "example.com": [[PUBLIC]]})
    with pytest.raises(CheckFailed) as raised:
        asyncio.run(check_hosts(config(tmp_path), resolver.outside))
    assert "pypi.org: the name leads to an address that is not public" in str(raised.value)
    assert "huggingface.co: the name is not known" in str(raised.value)
    assert "example.com: the host does not answer" in str(raised.value)
    assert "unset RUNNER_HOSTS" in str(raised.value)


def test_a_runner_without_hosts_needs_none(tmp_path: Path) -> None:
    settings = config(tmp_path, RUNNER_HOSTS="no")
    assert "RUNNER_HOSTS=yes allows" in asyncio.run(check_hosts(settings, Resolver({}).outside))
