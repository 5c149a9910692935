"""Models at an address: which are taken from it, and that they must answer before a run begins."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.execution.model_access import open_model
from envyard_runner.model.available import AvailableModels, NoModel
from envyard_runner.model.endpoint import Endpoint
from tests.ports import free_port
from tests.worker.gateway.served_gateway import job
from tests.worker.stub_hub import serving
from tests.worker.stub_model import StubModel

PORT = free_port()
URL = f"http://127.0.0.1:{PORT}/v1"


@pytest.mark.parametrize(("only", "ready"), [("", ["stub"]), ("stub", ["stub"]), ("other", [])])
def test_an_address_serves_the_models_that_it_lists(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, only: str, ready: list[str]
) -> None:
    async def scenario() -> None:
        models = AvailableModels(tmp_path / "none", Endpoint(URL), only)
        assert await models.ready() == {}  # nobody listens yet
        caplog.clear()
        async with serving(StubModel().application(), PORT):
            for _ in range(2):
                assert sorted(await models.ready()) == ready

    with caplog.at_level(logging.WARNING):
        asyncio.run(scenario())
    messages = [record.message for record in caplog.records]
    why = f"HUB_MODEL=other is not served at HUB_MODEL_URL={URL}, which lists stub"
    assert messages == ([] if ready else [why])


@pytest.mark.slow
def test_a_run_begins_once_the_model_has_answered(tmp_path: Path) -> None:
    async def scenario() -> None:
        stub = StubModel(failure="hang")
        models = AvailableModels(tmp_path / "none", Endpoint(URL), patience=0.5)
        async with serving(stub.application(), PORT):
            with pytest.raises(NoModel, match="'stub' did not answer within 1 s"):
                await models.find("stub", seconds=1)
            stub.failing = 1
            lines: list[str] = []
            assert (await models.find("stub", seconds=20, log_line=lines.append)).url == URL
            assert lines == ["waiting for model stub, which does not answer"]

    asyncio.run(scenario())


def test_a_server_without_metrics_gets_the_concurrency_of_the_hub(tmp_path: Path) -> None:
    config = replace(Config.from_environment({"HUB_MODEL_URL": URL}), home=tmp_path)

    async def scenario() -> None:
        async with (
            serving(StubModel().application(), PORT),
            open_model(job(), config, log_line=str) as (spec, model),
        ):
            assert spec.concurrency == job().concurrency
            assert model is not None

    asyncio.run(scenario())


def test_a_run_of_probes_needs_no_model(tmp_path: Path) -> None:
    config = replace(Config.from_environment({}), home=tmp_path)

    async def scenario() -> None:
        async with open_model(job(policies=("silent",)), config, log_line=str) as (_, model):
            assert model is None

    asyncio.run(scenario())
