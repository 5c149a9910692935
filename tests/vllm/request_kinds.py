"""Plays each task by one kind of request to a model, and pays where the answer fits the request.

An environment of its own harness: a wheel of this file is published by test_request_kinds.py.
"""

import json
from typing import Any

import httpx
import verifiers.v1 as vf

__all__ = ["AskHarness", "AskTaskset"]

WAYS = ("stream", "tool", "shape", "long")
SHAPE = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "why": {"enum": ["a", "b"]}},
    "required": ["ok", "why"],
    "additionalProperties": False,
}
TOOL = {"type": "function", "function": {"name": "add", "parameters": SHAPE, "strict": True}}
FORCED = {"type": "function", "function": {"name": "add"}}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "s", "schema": SHAPE, "strict": True}}


class AskData(vf.TaskData):
    way: str


class AskTask(vf.Task[AskData]):
    @vf.reward(weight=1.0)
    async def solved(self, trace: vf.Trace) -> float:
        return float(trace.info.get("came", 0.0))


class AskTaskset(vf.Taskset[AskTask, vf.TasksetConfig]):
    def load(self) -> Any:
        for way in WAYS:
            yield AskTask(AskData(prompt=f"Hello, how are you today? ({way})", way=way))


class AskHarnessConfig(vf.HarnessConfig):
    id: str = "asks"


class AskHarness(vf.Harness[AskHarnessConfig]):
    """Sends one request, or two where a tool was called."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_MCP = False
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: AskData,
        tool_interception_url: str | None = None,
    ) -> vf.ProgramResult:
        """Play the task's own way; what is refused ends it with a status, as a program."""
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(headers=headers, timeout=60) as client:

            async def complete(messages: Any, **fields: Any) -> str:
                body = {"model": ctx.model, "messages": messages, **fields}
                url = f"{endpoint.rstrip('/')}/chat/completions"
                answer = await client.post(url, json=body)
                answer.raise_for_status()
                return answer.text

            try:
                solved = await globals()[data.way](
                    complete, {"role": "user", "content": data.prompt}
                )
            except httpx.HTTPStatusError as error:
                return vf.ProgramResult(exit_code=1, stdout="", stderr=error.response.text[:2000])
        trace.info["came"] = float(solved)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


async def stream(complete: Any, prompt: Any) -> bool:
    """In many pieces, each token with its logarithm of a probability."""
    text = await complete(
        [prompt], stream=True, stream_options={"include_usage": True}, logprobs=True, top_logprobs=2
    )
    lines = [line for line in text.split("\n\n") if line]
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    logged = [item for c in choices for item in (c.get("logprobs") or {}).get("content") or ()]
    usage = next(chunk["usage"] for chunk in reversed(chunks) if chunk.get("usage"))
    return (
        lines[-1] == "data: [DONE]"
        and len(choices) > 3
        and len(logged) == usage["completion_tokens"]
        and all(item["logprob"] <= 0 and item["top_logprobs"] for item in logged)
    )


async def tool(complete: Any, prompt: Any) -> bool:
    """A call that is forced, of the tool's own schema, and the answer to its result."""
    answer = json.loads(await complete([prompt], tools=[TOOL], tool_choice=FORCED))
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    result = {"role": "tool", "tool_call_id": call["id"], "content": "3"}
    fields = {"role": "assistant", "content": "", "tool_calls": [call]}
    again = json.loads(await complete([prompt, fields, result], tools=[TOOL]))
    name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
    return name == "add" and right(arguments) and again["usage"]["completion_tokens"] > 0


async def shape(complete: Any, prompt: Any) -> bool:
    """JSON of a schema."""
    answer = json.loads(await complete([prompt], response_format=SCHEMA))
    return right(json.loads(answer["choices"][0]["message"]["content"]))


async def long(complete: Any, prompt: Any) -> bool:
    """More than the model's context holds, which is refused."""
    await complete([prompt | {"content": "x" * 3000}])
    return False


def right(value: Any) -> bool:
    return set(value) == {"ok", "why"} and value["ok"] in (True, False) and value["why"] in "ab"
