"""The two APIs of verifiers, and how a wheel's code shows which of them it was written for.

Sources: verifiers 0.4.0 and 0.3.1, how they turn an environment's name into a module and a module
into an environment.
"""

from __future__ import annotations

import ast

from packaging.specifiers import SpecifierSet

from envyard.contract.findings import Finding, finding
from envyard.contract.frameworks.adapter import (
    MAX_ENTRY_NAME,
    MODEL,
    MODEL_URL,
    Adapter,
    Entry,
    Usage,
)
from envyard.contract.frameworks.task_routes import plain_task_route
from envyard.contract.frameworks.verifiers_training import V0_TRAINING, V1_TRAINING
from envyard.contract.names import module_name
from envyard.contract.sources import Definition, Module, Sources, base_name

LOAD = "load_environment"  # what the classic API calls


def _tasksets(sources: Sources, module: Module) -> list[Entry]:
    """The Tasksets that a top-level module exports the way verifiers v1 looks for them."""
    tasksets = {}
    for name in module.exports or []:
        if len(name) > MAX_ENTRY_NAME:
            continue
        target = sources.find(module, name)
        if isinstance(target, Definition) and _is_taskset(sources, target):
            tasksets[target.module.name, target.name] = Entry(module.name, name, target)
    return list(tasksets.values())


def _is_taskset(sources: Sources, definition: Definition) -> bool:
    return any(
        base.startswith("verifiers.v1.") and base.endswith("Taskset")
        for base in sources.ancestors(definition.module, definition.name)
    )


def _load_functions(sources: Sources, module: Module) -> list[Entry]:
    """The classic entry: a `load_environment` in a top-level module, in a wheel that uses the
    classic API (a v1 wheel may well have a helper of that name)."""
    if not _uses_classic_api(sources):
        return []
    target = sources.find(module, LOAD)
    if isinstance(target, Definition) and target.name in target.module.functions:
        return [Entry(module.name, LOAD, target)]
    return []


def _uses_classic_api(sources: Sources) -> bool:
    return any(
        name == "verifiers"
        or (name.startswith("verifiers.") and not f"{name}.".startswith("verifiers.v1."))
        for name in sources.imported
    )


def _hidden_taskset(sources: Sources, expected: str) -> Finding | None:
    """A Taskset that no `__all__` exports."""
    hidden = [
        Definition(module, name)
        for module in sources.modules.values()
        for name in module.classes
        if _is_taskset(sources, Definition(module, name))
    ]
    if not hidden:
        return None
    first = hidden[0]
    return finding(
        "env.taskset_not_exported",
        f"{first.name} in {first.module.name} is a Taskset, but the module {expected!r} does not "
        f"name it in __all__, so verifiers cannot find it.",
        where=first.module.name,
        hint=f'Write __all__ = ["{first.name}"] in {expected} and import {first.name} there.',
    )


def _hidden_load_function(sources: Sources, expected: str) -> Finding | None:
    """A `load_environment` in a module that verifiers does not import."""
    modules = [module.name for module in sources.modules.values() if LOAD in module.functions]
    if not modules or not _uses_classic_api(sources):
        return None
    return finding(
        "env.module_name_mismatch",
        f"{LOAD} is in module {modules[0]!r}, but verifiers imports {expected!r} for this name, "
        "which does not have it.",
        where=modules[0],
        hint=f"Write in {expected}: from {modules[0]} import {LOAD}",
    )


def _v1_splits(sources: Sources, definition: Definition) -> tuple[str, ...]:
    """The values of a `split: Literal[...]` field in the Taskset's configuration class."""
    module = definition.module
    for base in module.classes[definition.name].bases:
        for node in ast.walk(base):
            name = base_name(node) if isinstance(node, ast.Name | ast.Attribute) else ""
            config = sources.find(module, name) if name else ""
            if isinstance(config, Definition) and config.name in config.module.classes:
                splits = _split_field(config.module.classes[config.name])
                if splits:
                    return splits
    return ()


def _split_field(definition: ast.ClassDef) -> tuple[str, ...]:
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and base_name(node.target) == "split":
            return tuple(
                item.value
                for item in ast.walk(node.annotation)
                if isinstance(item, ast.Constant) and isinstance(item.value, str)
            )
    return ()


def _v0_splits(sources: Sources, definition: Definition) -> tuple[str, ...]:
    """`train` and `eval` where load_environment passes on `dataset` and `eval_dataset`."""
    arguments = {
        keyword.arg
        for node in ast.walk(definition.module.functions[definition.name])
        if isinstance(node, ast.Call)
        for keyword in node.keywords
    }
    functions = (("dataset", "train"), ("eval_dataset", "eval"))
    return tuple(split for argument, split in functions if argument in arguments)


# verifiers 0.4.0, and development releases from 0.3.2 on, have no `load_environment` environments;
# its v1 differs from earlier ones. Releases before 0.1.9 score and generate in other ways.
V1 = Adapter(
    framework="verifiers",
    api="v1",
    releases=SpecifierSet(">=0.4,<0.5"),
    installed_beside=(),
    # The framework imports all of it, and 2.14 has 3,200 modules where this one has 1,250.
    preferred=("anthropic==1.0.0",),
    guest_program="verifiers_v1:VerifiersV1",
    templates=("single-turn", "multi-turn", "tool-use"),
    entry_description="a verifiers Taskset named in a module's __all__",
    single_entry_hint="Export exactly one Taskset through __all__.",
    runs_with="verifiers 0.4 for Tasksets",
    usage_texts=Usage(
        loading="""\
import verifiers.v1 as vf

env = vf.load_environment(vf.resolve_env_config({"taskset": {"id": "$module"}}))
for task in env.taskset.take(3):
    print(task.data.prompt)""",
        loading_note="Prints the prompts of its first tasks.",
        evaluating=f"vf-eval $module -m {MODEL} --client.base-url {MODEL_URL} "
        "--client.api-key-var OPENAI_API_KEY --env.agent.harness.id null "
        "--env.agent.runtime.type subprocess -n 2 -r 2 --no-push",
        # Its defaults: a shell for the model, on a remote machine, and an upload.
        evaluating_note="Plays two attempts at two tasks on this machine, without a shell for the "
        "model and without an upload of the results. The options are those of an environment with "
        "one role, agent.",
        training=V1_TRAINING,
    ),
    entries=_tasksets,
    module_names=lambda name: {module_name(name)},
    splits=_v1_splits,
    near_miss=_hidden_taskset,
    entry_function=LOAD,
)
V0 = Adapter(
    framework="verifiers",
    api="v0",
    releases=SpecifierSet(">=0.1.9,<0.3.2"),
    # Later clients refuse the sandboxes that the classic API requests, when they are constructed.
    installed_beside=("datasets", "prime-sandboxes<0.3"),
    guest_program="verifiers_v0:VerifiersV0",
    templates=(),
    entry_description="a verifiers load_environment",
    single_entry_hint="Keep one, or name its module {module}.",
    runs_with="verifiers 0.1.9 to 0.3.1 for load_environment",
    usage_texts=Usage(
        loading="""\
import verifiers as vf

env = vf.load_environment("$module")
for prompt in env.get_eval_dataset(n=3)["prompt"]:
    print(prompt)""",
        loading_note="Prints the prompts of its first tasks.",
        evaluating=f"vf-eval $module -m {MODEL} -b {MODEL_URL} -k OPENAI_API_KEY -n 2 -r 2",
        evaluating_note="Plays two attempts at two tasks.",
        training=V0_TRAINING,
    ),
    entries=_load_functions,
    # Other than v1, the classic API does not make the name lower case.
    module_names=lambda name: {module_name(name), name.replace("-", "_")},
    splits=_v0_splits,
    near_miss=_hidden_load_function,
    entry_function=LOAD,
    # Only `vf-setup` imports it, and it has no wheel.
    left_out=(("wget", "0.2"),),
    preferred=("anthropic==0.87.0",),  # 550 modules
    behaviour=plain_task_route,
)
VERIFIERS = (V1, V0)
