"""Tasks in container images: one names its own, one needs any, one needs none."""

# ruff: noqa
# mypy: ignore-errors

import verifiers.v1 as vf


class ImageTask(vf.Task):
    @vf.reward
    async def paid(self, trace: vf.Trace) -> float:
        return 1.0


class BoxTask(ImageTask):
    NEEDS_CONTAINER = True


class ImageTaskset(vf.Taskset[ImageTask]):
    def load(self):
        config = self.config.task
        return [
            ImageTask(vf.TaskData(idx=0, prompt="Say 0."), config),
            ImageTask(vf.TaskData(idx=1, prompt="Say 1.", image="debian:12"), config),
            BoxTask(vf.TaskData(idx=2, prompt="Say 2."), config),
        ]


__all__ = ["ImageTaskset"]
