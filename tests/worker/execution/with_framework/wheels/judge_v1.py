"""Scores with the framework's v1 Judge, which reads PRIME_INFERENCE_URL."""

# ruff: noqa
# mypy: ignore-errors

import verifiers.v1 as vf


class Correctness(vf.Judge[bool]):
    prompt = "Question: {question}\nResponse: {response}\nCorrect? yes/no"

    def parse(self, response):
        return response.text.strip().lower().startswith("yes")


class ReverseTask(vf.Task[vf.TaskData]):
    @vf.reward
    async def correct(self, trace: vf.Trace) -> float:
        result = await Correctness().evaluate(
            trace=trace, question=self.data.prompt_text, response=trace.last_reply
        )
        return float(result.parsed)


class ReverseTaskset(vf.Taskset[ReverseTask, vf.TasksetConfig]):
    def load(self):
        yield ReverseTask(vf.TaskData(idx=0, prompt="Reverse. Text:\nab"), self.config.task)


__all__ = ["ReverseTaskset"]
