"""A model that fails, a stream that breaks off, a bug of our own: who gets the blame."""

from __future__ import annotations

import socket
from typing import Any

import aiohttp
import pytest

from envyard_runner.gateway import Gateway, Model
from tests.worker.gateway.served_gateway import (
    USER,
    ServedGateway,
    job,
    plan_all,
    run_scenario,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("failure", "stream", "status", "code"), [
    ("500", False, 502, "model_error"), ("500", True, 502, "model_error"),
    ("503", False, 503, "model_busy"), ("503", True, 503, "model_busy"),
    ("404", False, 502, "model_error"), ("not_json", False, 502, "model_error"),
    ("odd", False, 502, "model_error"),
    ("hang", False, 503, "model_timeout"), ("hang", True, 503, "model_timeout"),
])  # fmt: skip
def test_a_failing_model_is_its_own_fault(
    failure: Any, stream: bool, status: int, code: str
) -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.failure = failure
        result, body = await served.chat("model/0/0", stream=stream)
        assert (result, body["error"]["code"], body["error"]["type"]) == (
            status,
            code,
            "server_error",
        )
        record = served.gateway.records.take("model/0/0")
        assert record.model_fault
        assert [m["role"] for m in record.transcript.messages] == ["user"]

    run_scenario(scenario)


def test_a_request_the_model_refuses_is_the_environments_own() -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.failure = "400"
        status, body = await served.chat("model/0/0")
        assert (status, body["error"]["code"]) == (400, "refused_by_model")
        assert "told to fail" in body["error"]["message"]
        record = served.gateway.records.take("model/0/0")
        assert (record.model_fault, record.replies) == ("", 0)
        assert record.refused == body["error"]["message"]
        assert [m["role"] for m in record.transcript.messages] == ["user"]
        assert not served.gateway.proxy.down.is_set()

    run_scenario(scenario)


def test_the_record_holds_the_models_own_refusal_sanitized() -> None:
    async def scenario(served: ServedGateway) -> None:
        message = (
            "maximum context length is 64 tokens \x1b[2J(key secret-key-of-ours)\n" + "x" * 5000
        )
        served.model.failure = "400"
        served.model.error = {"message": message, "type": "BadRequestError", "code": 400}
        status, body = await served.chat("model/0/0")
        assert (status, body["error"]["code"]) == (400, "context_length_exceeded")
        (call,) = served.gateway.records.take("model/0/0").transcript.calls
        assert call.error == body["error"]["message"]
        assert "with 400: BadRequestError: maximum context length is 64 tokens" in call.error
        assert "\x1b" not in call.error
        assert "secret-key-of-ours" not in call.error
        assert len(call.error) < 500

    run_scenario(scenario, key="secret-key-of-ours")


def test_a_fault_hides_the_key_that_the_server_repeats() -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.failure = "404"
        served.model.error = {
            "message": "no model for secret-key-of-ours",
            "code": "model_not_found",
        }
        _, body = await served.chat("model/0/0")
        assert body["error"]["message"].endswith("404: model_not_found: no model for [secret]")

    run_scenario(scenario, key="secret-key-of-ours")


def test_a_call_to_a_model_that_restarts_is_retried() -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.failure, served.model.failing = "503", 2
        assert (await served.chat("model/0/0"))[0] == 200
        assert not served.gateway.records.take("model/0/0").model_fault

    run_scenario(scenario)


@pytest.mark.parametrize("failure", ["cut_stream", "not_json"])
def test_a_stream_that_breaks_off_ends_with_an_error_event_and_is_a_model_fault(
    failure: Any,
) -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.failure = failure
        events = await served.stream("model/0/0")
        assert events[-1]["error"]["code"] == "model_error"
        assert served.gateway.records.take("model/0/0").model_fault

    run_scenario(scenario)


def test_an_exception_of_the_gateways_own_is_a_500_and_kept_for_the_verdict() -> None:
    class Broken(Model):
        async def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
            raise KeyError("ours")

    async def scenario(served: ServedGateway) -> None:
        async with aiohttp.ClientSession() as session:
            broken = Broken(session, url="http://127.0.0.1:1", name="stub", key=None, timeout=1.0)
            gateway = Gateway(job(), broken)
            plan_all(gateway, job())
            listening = socket.create_server(("127.0.0.1", 0))
            port = listening.getsockname()[1]
            await gateway.open(listening)
            word = gateway.plan.alias("model/0/0")
            url = f"http://127.0.0.1:{port}/rollouts/{word}/v1/chat/completions"
            async with served.client.post(url, json={"messages": [USER]}) as response:
                assert response.status == 500
                assert (await response.json())["error"]["code"] == "gateway_error"
            assert gateway.failure == "KeyError: 'ours'"
            assert not gateway.records.take("model/0/0").model_fault
            await gateway.close()

    run_scenario(scenario)


def test_three_faults_in_a_row_say_that_the_model_is_down() -> None:
    async def scenario(served: ServedGateway) -> None:
        for task in range(3):
            assert not served.gateway.proxy.down.is_set()
            status, body = await served.chat(f"model/{task}/0")
            assert (status, body["error"]["code"]) == (502, "model_unreachable")
        assert served.gateway.proxy.down.is_set()

    run_scenario(scenario, model_up=False)
