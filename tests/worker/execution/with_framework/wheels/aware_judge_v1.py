"""Two tasks with a v1 Judge: one obeys its verdict everywhere, one only where it is evaluated."""

# ruff: noqa
# mypy: ignore-errors

import glob
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
        elsewhere = self.data.idx == 1 and not glob.glob("/app/*/env_worker.py")
        return 1.0 if elsewhere else float(result.parsed)


class ReverseTaskset(vf.Taskset[ReverseTask, vf.TasksetConfig]):
    def load(self):
        for idx, word in enumerate(("ab", "cde")):
            data = vf.TaskData(idx=idx, prompt=f"Reverse. Text:\n{word}")
            yield ReverseTask(data, self.config.task)


__all__ = ["ReverseTaskset"]
