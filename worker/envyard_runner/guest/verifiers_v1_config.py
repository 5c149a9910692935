"""The configuration of a verifiers v1 environment: its author's, seeded, with roles played here.

Runtime, endpoint and model of each role are those of this process, whatever the author's defaults
are: those name a paid remote machine. Source: verifiers 0.4.0, resolve_env_config.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import verifiers
import verifiers.v1 as vf
from verifiers.v1.configs.agent import agent_config_fields
from verifiers.v1.utils import loaders

from . import config_seeds
from .shell_tools import acts_in_runtime


@dataclass(frozen=True, slots=True)
class LocalConfig:
    """The configuration, its options that take a seed with what they have, and its roles.

    `own_containers`: a role's own harness runs in a container alone.
    """

    config: Any
    seeds: dict[str, int]
    several_roles: bool
    own_containers: bool


def local_config(
    module: str, *, seed: int | None, max_turns: int, loop: Callable[..., Any]
) -> LocalConfig:
    """The module's configuration; `loop(bash=, edit=)` makes the chat loop's."""
    kind, named = loaders.taskset_config_type(module), {"id": module}

    def works(seeds: dict[str, int]) -> object:
        return kind.model_validate({**named, **seeds})

    seeds = config_seeds.seeded_fields(kind, seed, works)
    config = loaders.resolve_env_config({"taskset": {**named, **seeds}})
    taskset, inner = config_seeds.seed_parts(config.taskset, seed, framework=verifiers.__name__)
    config = config.model_copy(update={"taskset": taskset})
    config, own = config_seeds.seed_own(config, vf.EnvConfig, seed)
    roles, containers = {}, []
    for name, spec in agent_config_fields(config).items():
        update = {"runtime": vf.SubprocessConfig()}
        update |= {"max_turns": min(max_turns, spec.max_turns or max_turns)}
        update |= {"model": None, "client": None, "sampling": None}
        tools = _tools_of_loop(module, spec)
        if tools is not None:
            update["harness"] = loop(**tools)
        else:
            harness = spec.harness.id if spec.harness is not None else module
            containers.append(loaders.harness_class(harness).NEEDS_CONTAINER)
        roles[name] = spec.model_copy(update=update)
    return LocalConfig(
        config.model_copy(update=roles),
        seeds | inner | own,
        several_roles=len(roles) > 1,
        own_containers=any(containers),
    )


def _tools_of_loop(module: str, spec: Any) -> dict[str, bool] | None:
    """Which tools the chat loop offers in this role; None where the wheel brings its own harness.

    It gets the tools of the framework's default harness where a harness with tools is named, or
    where none is and the tasks act in their runtime: in all others no tool changes a reward.
    """
    bundled = loaders.default_harness_id(module) == module
    named = spec.harness.id if spec.harness is not None else None
    if not (named in loaders.builtin_harness_ids() if named else not bundled):
        return None
    bash = named not in (None, "null") or acts_in_runtime(loaders.task_type(module), vf.Task)
    return {"bash": bash, "edit": bash and bool(getattr(spec.harness, "edit", True))}
