"""Has its own harness, which sends two requests whatever the answer is."""

import httpx
import verifiers.v1 as vf


class TwiceConfig(vf.HarnessConfig):
    pass


class Twice(vf.Harness[TwiceConfig]):
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        headers = {"Authorization": f"Bearer {secret}"}
        messages = [{"role": "user", "content": data.prompt}]
        async with httpx.AsyncClient(headers=headers) as http:
            for _ in range(2):
                body = {"model": ctx.model, "messages": messages}
                answer = (await http.post(f"{endpoint}/chat/completions", json=body)).json()
                messages += [answer["choices"][0]["message"], {"role": "user", "content": "again"}]
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class TwiceData(vf.TaskData):
    answer: int = 7


class TwiceTask(vf.Task[TwiceData]):
    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return sum(message.content == "7" for message in trace.assistant_messages) / 2


class TwiceTaskset(vf.Taskset[TwiceTask, vf.TasksetConfig]):
    def load(self) -> list[TwiceTask]:
        return [TwiceTask(TwiceData(prompt="Three and four?"), self.config.task)]


__all__ = ["Twice", "TwiceTaskset"]
