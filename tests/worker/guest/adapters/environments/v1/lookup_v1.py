"""A tool server per rollout; the environment's oracle calls it and reads its result."""

from typing import Any

import verifiers.v1 as vf

CAPITALS = {"Norway": "Oslo", "Peru": "Lima"}


class AtlasState(vf.State):
    lookup_count: int = 0


class Atlas(vf.Toolset[vf.ToolsetConfig, AtlasState]):
    TOOL_PREFIX = "atlas"

    async def setup_task(self, task: "CountryData") -> None:
        self.country = task.country

    @vf.tool
    def capital(self, country: str) -> str:
        """The capital of a country."""
        self.state.lookup_count += 1
        return CAPITALS[country] if country == self.country else "ask about the task's country"


class CountryData(vf.TaskData):
    country: str
    answer: str


class CountryTaskConfig(vf.TaskConfig):
    atlas: vf.ToolsetConfig = vf.ToolsetConfig()


class CountryTask(vf.Task[CountryData, AtlasState, CountryTaskConfig]):
    @classmethod
    def toolsets(cls, config: CountryTaskConfig) -> list[vf.Toolset]:
        return [Atlas(config.atlas)]

    @vf.reward
    async def looked_up(self, trace: vf.Trace) -> float:
        return float(trace.state.lookup_count == 1 and trace.last_reply == self.data.answer)

    async def oracle(self, messages: list[dict[str, Any]]) -> str | dict[str, Any]:
        if messages[-1]["role"] == "tool":
            return str(messages[-1]["content"])
        arguments = f'{{"country": "{self.data.country}"}}'
        call = {"name": "atlas_capital", "arguments": arguments}
        return {"content": "", "tool_calls": [{"id": "1", "type": "function", "function": call}]}


class CountryConfig(vf.TasksetConfig):
    task: CountryTaskConfig = CountryTaskConfig()


class CountryTaskset(vf.Taskset[CountryTask, CountryConfig]):
    def load(self) -> list[CountryTask]:
        return [
            CountryTask(
                CountryData(prompt=f"Capital of {country}?", country=country, answer=capital),
                self.config.task,
            )
            for country, capital in CAPITALS.items()
        ]


__all__ = ["CountryTaskset"]

if __name__ == "__main__":
    Atlas.run()
