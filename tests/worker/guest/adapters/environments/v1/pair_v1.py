"""Two roles play one task twice over, and what they earn depends on the other; one more watches."""

import asyncio

import verifiers.v1 as vf


class PairConfig(vf.EnvConfig):
    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, max_turns=3)
    rival: vf.AgentConfig = vf.AgentConfig(model="another", runtime={"type": "docker"})
    watcher: vf.AgentConfig = vf.AgentConfig()


class PairEnv(vf.Env[PairConfig]):
    async def setup(self, agents: vf.Agents) -> None:
        agents.watcher.trainable = False

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        players = [agents.player.run(task), agents.player.run(task), agents.rival.run(task)]
        await asyncio.gather(*players)
        await agents.watcher.run(task)

    async def finalize(self, task: vf.Task, episode: vf.Episode) -> None:
        for trace in episode.traces:
            trace.record_reward("payoff", {"player": 1.0, "rival": -0.5}.get(trace.agent.name, 9.0))


class PairTaskset(vf.Taskset[vf.Task, vf.TasksetConfig]):
    def load(self) -> list[vf.Task]:
        return [vf.Task(vf.TaskData(prompt="Play."), self.config.task)]


__all__ = ["PairEnv", "PairTaskset"]
