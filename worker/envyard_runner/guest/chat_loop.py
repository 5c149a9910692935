"""A chat loop with tools for verifiers v1, in this process instead of a process per rollout.

It uses the rollout's interception server like the framework's own programs do, so limits, stops,
hooks and the trace are the framework's. Source: verifiers 0.4.0, Harness.launch's contract.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire

from .shell_tools import ShellTools

ID = "in-process-chat"
__all__ = ["ChatHarness"]

Message = dict[str, Any]
Call = Callable[[dict[str, Any]], Any]


class ChatHarnessConfig(vf.HarnessConfig):  # type: ignore[misc]
    """Whether the tools `bash` and `edit` are offered; all else comes from the rollout."""

    id: str = ID
    bash: bool = False
    edit: bool = False


class ChatHarness(vf.Harness[ChatHarnessConfig]):  # type: ignore[misc]
    """Calls the model and runs the tools it calls, until it answers without calling one."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_MCP = True
    SUPPORTS_RESUME = True
    SUPPORTS_TOOL_INTERCEPTION = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    http: Any = None

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        tool_interception_url: str | None = None,
    ) -> vf.ProgramResult:
        """Play one segment; a refused or failed call ends it with a status, as a program."""
        shell = ShellTools(runtime, edit=self.config.edit) if self.config.bash else None
        messages = opening(data, shell.prompt if shell else "")
        async with AsyncExitStack() as stack:
            tools, calls = await connect(mcp_urls, stack, shell)
            body = {"model": ctx.model, **({"tools": tools} if tools else {})}
            headers = {"Authorization": f"Bearer {secret}"}
            while True:
                response = await self._ask(endpoint, headers, {**body, "messages": messages})
                if response.status_code >= 400:
                    return vf.ProgramResult(exit_code=1, stdout="", stderr=response.text[:2000])
                message = response.json()["choices"][0]["message"]
                messages.append({key: value for key, value in message.items() if value is not None})
                if not message.get("tool_calls"):
                    return vf.ProgramResult(exit_code=0, stdout="", stderr="")
                for call in message["tool_calls"]:
                    denied = await self._denied(tool_interception_url, headers, call)
                    messages.append(denied or await answer(call, calls))

    async def _ask(self, endpoint: str, headers: dict[str, str], body: dict[str, Any]) -> Any:
        return await self.http.post(
            f"{endpoint.rstrip('/')}/chat/completions", headers=headers, json=body
        )

    async def _denied(
        self, url: str | None, headers: dict[str, str], call: dict[str, Any]
    ) -> Message | None:
        """The result a policy puts in the place of this call, or None where the call may run."""
        if url is None:
            return None
        request = {
            "tool_call_id": call["id"],
            "name": call["function"]["name"],
            "arguments": arguments(call)[0],
        }
        response = await self.http.post(url, headers=headers, json=request)
        response.raise_for_status()
        decision = response.json()
        if decision["action"] == "stop":
            raise RuntimeError(decision["reason"])
        return decision["message"] if decision["action"] == "deny" else None


def opening(data: vf.TaskData, prompt: str = "") -> list[Message]:
    """The conversation a task starts with; `prompt` is the harness's part of the system prompt."""
    system = "\n\n".join(part for part in (prompt, data.system_prompt) if part)
    messages = [{"role": "system", "content": system}] if system else []
    if isinstance(data.prompt, str):
        messages.append({"role": "user", "content": data.prompt})
    elif data.prompt:
        messages += [message_to_wire(message) for message in data.prompt]
    return messages


async def connect(
    urls: dict[str, str], stack: AsyncExitStack, shell: ShellTools | None = None
) -> tuple[list[dict[str, Any]], dict[str, Call]]:
    """The chat tools of the shell and of all servers, and how to call each; clients close with the
    stack."""
    tools: list[dict[str, Any]] = [*shell.tools] if shell else []
    calls: dict[str, Call] = {**shell.calls} if shell else {}
    for server, url in urls.items():
        from mcp import Client

        client = await stack.enter_async_context(Client(url))
        for tool in (await client.list_tools()).tools:
            name = f"{server}_{tool.name}" if server else tool.name
            if name in calls:
                raise ValueError(
                    f"two tools are named {name!r}; give one server another TOOL_PREFIX"
                )
            calls[name] = functools.partial(client.call_tool, tool.name)
            described = {"description": tool.description or "", "parameters": tool.input_schema}
            tools.append({"type": "function", "function": {"name": name, **described}})
    return tools, calls


def arguments(call: dict[str, Any]) -> tuple[Any, Any]:
    """A call's arguments, and what is wrong with them (an empty text where nothing is)."""
    raw = call["function"].get("arguments") or "{}"
    try:
        parsed = json.loads(raw)
    except ValueError as error:
        return raw, f"error: the arguments are not JSON ({error})"
    if not isinstance(parsed, dict):
        return parsed, f"error: the arguments must be a JSON object, not {type(parsed).__name__}"
    return parsed, ""


async def answer(call: dict[str, Any], calls: dict[str, Call]) -> Message:
    """The tool message for a call; the model's own mistakes are returned to it, not raised."""
    name = call["function"]["name"]
    parsed, content = arguments(call)
    if not content and name not in calls:
        content = f"error: unknown tool {name!r}"
    if not content:
        try:
            result = await calls[name](parsed)
            content = result if isinstance(result, str) else content_of(result.content)
        except Exception as error:
            raise vf.ToolsetError(f"tool {name!r}: {type(error).__name__}: {error}") from error
    return {"role": "tool", "tool_call_id": call["id"], "name": name, "content": content}


def content_of(blocks: list[Any]) -> str | list[dict[str, Any]]:
    """MCP content as chat content: text where it is all text, else parts."""
    parts: list[dict[str, Any]] = []
    for block in blocks:
        if block.type == "image":
            url = f"data:{block.mime_type};base64,{block.data}"
            parts.append({"type": "image_url", "image_url": {"url": url}})
        else:
            parts.append({"type": "text", "text": getattr(block, "text", None) or str(block)})
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts
