"""Programs that train on environments of verifiers with TRL, one for each of its two APIs.

Sources: verifiers 0.4.0, `vf-validate` and Rollout; verifiers 0.3.1, Environment.run_rollout; TRL
1.16.0, GRPOTrainer. What v1 imports beside `verifiers.v1` is none of its names there, so `releases`
are those that the tests run.
"""

from __future__ import annotations

from packaging.specifiers import SpecifierSet

from envyard.contract.frameworks.adapter import MODEL, Training

TRL = "trl>=1.16"
NOTE = (
    "Takes two steps of GRPO, with four replies to one prompt in each. The reward is the sum that "
    "verifiers computes of the environment’s own reward functions. Their code runs on this "
    "machine without a sandbox."
)
TRAINER = f"""
trainer = GRPOTrainer(
    model="{MODEL}",
    reward_funcs=reward,
    train_dataset=Dataset.from_dict({{"prompt": prompts, "row": range(len(prompts))}}),
    args=GRPOConfig(
        output_dir="trained", max_steps=2, num_generations=4, per_device_train_batch_size=4,
        max_completion_length=256, logging_steps=1, bf16=torch.cuda.is_available(),
    ),
)
trainer.train()"""

V1_PROGRAM = """\
import asyncio

import torch
import verifiers.v1 as vf
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
from verifiers.v1.runtimes import provision_runtime
from verifiers.v1.state import state_cls
from verifiers.v1.utils.decorators import invoke

env = vf.load_environment(vf.resolve_env_config({"taskset": {"id": "$module"}}))
assert type(env) is vf.SingleAgentEnv, "TRL does not play an Env of the wheel's own"
tasks = list(env.taskset.take(1000))


def messages(data):
    system = [vf.SystemMessage(content=data.system_prompt)] if data.system_prompt else []
    single = isinstance(data.prompt, str)
    return system + ([vf.UserMessage(content=data.prompt)] if single else list(data.prompt))


async def score(task, completion):
    info = vf.TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash)
    agent = vf.AgentInfo(config=vf.AgentConfig())
    trace = vf.Trace(task=info, agent=agent, state=state_cls(type(task))())
    async with provision_runtime(vf.SubprocessConfig(), env=task.runtime_env()) as runtime:
        await invoke(task.setup, {"trace": trace, "runtime": runtime})
        reply = vf.AssistantMessage(content=completion[0]["content"])
        for number, message in enumerate([*messages(task.data), reply]):
            parent = number - 1 if number else None
            trace.nodes.append(vf.MessageNode(parent=parent, message=message))
        trace.nodes[-1].sampled = True
        trace.stop("agent_completed")
        await invoke(task.finalize, {"trace": trace, "runtime": runtime})
        await task.score(trace, runtime)
    return trace.reward


async def reward(completions, row, **columns):
    return await asyncio.gather(*(score(tasks[i], each) for i, each in zip(row, completions)))


prompts = [[each.model_dump(exclude_none=True) for each in messages(task.data)] for task in tasks]
"""

V0_PROGRAM = f"""\
import asyncio

import torch
import verifiers as vf
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

env = vf.load_environment("$module")
rows = env.get_dataset().to_list()
prompts = [row["prompt"] for row in rows]


class Reply(vf.OpenAIChatCompletionsClient):
    async def get_response(self, *args, **options):
        assert self.client, "the environment asks for a second reply, which TRL does not sample"
        message = {{"content": self.client.pop(), "finish_reason": "stop", "is_truncated": False}}
        return vf.Response(id="reply", created=0, model="{MODEL}", message=message)


async def score(row, completion):
    reply = Reply([completion[0]["content"]])
    output = await env.run_rollout(row, reply, "{MODEL}", {{}})
    assert not output["error"], output["error"]
    return output["reward"]


async def reward(completions, row, **columns):
    return await asyncio.gather(*(score(rows[i], each) for i, each in zip(row, completions)))

"""

V1_TRAINING = Training(
    trainer="TRL",
    requirement=TRL,
    releases=SpecifierSet(">=0.4,<0.5"),
    program=V1_PROGRAM + TRAINER,
    note=f"{NOTE} Its prompts are those of the first thousand tasks. A reward that reads the "
    "numbers of tokens finds 0.",
    elsewhere="prime-rl plays verifiers’ own loop for Tasksets of any number of turns.",
)
V0_TRAINING = Training(
    trainer="TRL",
    requirement=TRL,
    # Those from 0.1.11 to 0.2 require data set libraries that TRL 1.16 refuses.
    releases=SpecifierSet(">=0.3,<0.3.2"),
    program=V0_PROGRAM + TRAINER,
    note=f"{NOTE} A reward function that raises counts as 0, as in all of verifiers 0.3.",
    elsewhere="No current trainer plays the loop of the classic API: those that did need earlier "
    "releases of verifiers.",
)
