"""What framework a wheel speaks, found from its code alone.

The version pin of a dependency is no evidence: most wheels pin nothing, and a `verifiers` without a
bound means another API today than when it was written. Sources: verifiers 0.4.0 and 0.3.1, how they
turn an environment's name into a module and a module into an environment.
"""

from __future__ import annotations

import ast
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from typing import Literal

from packaging.specifiers import SpecifierSet

from envyard.contract.codes import Finding, finding
from envyard.contract.names import module_name
from envyard.contract.sources import Found, Module, Sources, base_name

LONGEST_NAME = 200  # what the hub stores of an entry; no honest name comes near it
LOAD = "load_environment"
UNREADABLE = "env.unreadable_python"
THIS_PYTHON = platform.python_version()
KNOWN = "a verifiers Taskset named in a module's __all__, or a verifiers load_environment"


@dataclass(frozen=True, slots=True)
class Detection:
    """The one environment a wheel holds; `framework` is empty where no single one was found.

    `entry` is the Taskset's class name (api v1) or `load_environment` (api v0). `splits` are the
    names the code offers, empty where it offers no choice. `release` is the framework's newest
    known release that the wheel can run with, empty where that is not known.
    """

    framework: Literal["verifiers", ""] = ""
    api: Literal["v1", "v0", ""] = ""
    module: str = ""
    entry: str = ""
    splits: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    release: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible environment: the top-level module that offers it and where it is defined."""

    api: Literal["v1", "v0"]
    module: str
    entry: str
    found: Found


def detect(members: Mapping[str, bytes]) -> Detection:
    """Find the environment in a wheel given as member path -> bytes. Only .py files and METADATA
    are read, and nothing is imported or executed."""
    name = distribution_name(members)
    wanted, written = module_name(name), name.replace("-", "_")
    sources = Sources(members)
    candidates = [
        candidate
        for module in sources.top_level()
        for candidate in _tasksets(sources, module) or _load_functions(sources, module)
    ]
    named = [one for one in candidates if one.module in _looked_for(one.api, wanted, written)]
    chosen = named or candidates
    if not chosen:
        requires_python = metadata_field(members, "Requires-Python")
        if sources.unreadable and not _admits_this_python(requires_python):
            return Detection(findings=(_newer_python(sources, requires_python),))
        return Detection(findings=(_nothing_found(sources, wanted),))
    if len(chosen) > 1:
        return Detection(findings=(_several_found(chosen, wanted),))
    return _detection(sources, chosen[0], wanted, right_name=bool(named))


def distribution_name(members: Mapping[str, bytes]) -> str:
    """The Name field of the wheel's METADATA, or an empty text."""
    return metadata_field(members, "Name")


def metadata_field(members: Mapping[str, bytes], field: str) -> str:
    """That field of the wheel's METADATA, or an empty text."""
    for path, data in members.items():
        if path.count("/") == 1 and path.endswith(".dist-info/METADATA"):
            return str(BytesHeaderParser().parsebytes(data).get(field, "")).strip()
    return ""


def _looked_for(api: str, wanted: str, written: str) -> set[str]:
    """The modules verifiers tries for a name: v1 makes it lower case, the classic API does not."""
    return {wanted} if api == "v1" else {wanted, written}


def _detection(sources: Sources, one: Candidate, wanted: str, *, right_name: bool) -> Detection:
    findings: tuple[Finding, ...] = ()
    if not right_name:
        findings = (
            finding(
                "env.module_name_mismatch",
                f"The environment is in module {one.module!r}, but verifiers imports {wanted!r} "
                f"for this name.",
                where=one.module,
                hint=f"Rename the module to {wanted}, or the distribution to "
                f"{one.module.replace('_', '-')}.",
            ),
        )
    splits = _v1_splits(sources, one.found) if one.api == "v1" else _v0_splits(one.found)
    return Detection("verifiers", one.api, one.module, one.entry, splits, findings)


def _tasksets(sources: Sources, module: Module) -> list[Candidate]:
    """The Tasksets that a top-level module exports the way verifiers v1 looks for them."""
    found = {}
    for name in module.exports or []:
        if len(name) > LONGEST_NAME:
            continue
        target = sources.find(module, name)
        if isinstance(target, Found) and _is_taskset(sources, target):
            found[target.module.name, target.name] = Candidate("v1", module.name, name, target)
    return list(found.values())


def _is_taskset(sources: Sources, target: Found) -> bool:
    return any(
        base.startswith("verifiers.v1.") and base.endswith("Taskset")
        for base in sources.ancestors(target.module, target.name)
    )


def _load_functions(sources: Sources, module: Module) -> list[Candidate]:
    """The classic entry: a `load_environment` in a top-level module, in a wheel that uses the
    classic API (a v1 wheel may well have a helper of that name)."""
    if not any(_is_classic(name) for name in sources.imported()):
        return []
    target = sources.find(module, LOAD)
    if isinstance(target, Found) and target.name in target.module.functions:
        return [Candidate("v0", module.name, LOAD, target)]
    return []


def _is_classic(imported: str) -> bool:
    return imported == "verifiers" or (
        imported.startswith("verifiers.") and not f"{imported}.".startswith("verifiers.v1.")
    )


def _nothing_found(sources: Sources, wanted: str) -> Finding:
    hidden = [
        Found(module, name)
        for module in sources.modules.values()
        for name in module.classes
        if _is_taskset(sources, Found(module, name))
    ]
    if hidden:
        one = hidden[0]
        return finding(
            "env.taskset_not_exported",
            f"{one.name} in {one.module.name} is a Taskset, but the module {wanted!r} does not "
            f"name it in __all__, so verifiers cannot find it.",
            where=one.module.name,
            hint=f'Write __all__ = ["{one.name}"] in {wanted} and import {one.name} there.',
        )
    loads = [module.name for module in sources.modules.values() if LOAD in module.functions]
    if loads and any(_is_classic(name) for name in sources.imported()):
        return finding(
            "env.module_name_mismatch",
            f"{LOAD} is in module {loads[0]!r}, but verifiers imports {wanted!r} for this name, "
            "which does not have it.",
            where=loads[0],
            hint=f"Write in {wanted}: from {loads[0]} import {LOAD}",
        )
    return _no_environment(sources, wanted)


def _admits_this_python(requires_python: str) -> bool:
    try:
        return SpecifierSet(requires_python).contains(THIS_PYTHON, prereleases=True)
    except ValueError:
        return True  # the static checks name it


def _newer_python(sources: Sources, requires_python: str) -> Finding:
    return finding(
        UNREADABLE,
        f"Python {THIS_PYTHON}, which reads the code here, cannot read "
        f"{', '.join(sources.unreadable[:3])}; Requires-Python is {requires_python[:120]!r}.",
        where=sources.unreadable[0],
    )


def _no_environment(sources: Sources, wanted: str) -> Finding:
    count, unreadable = len(sources.modules), ", ".join(sources.unreadable[:3])
    if unreadable and not count:
        return finding(
            "env.framework_unknown",
            f"No module of the wheel is readable as Python: {unreadable}.",
            where=wanted,
            hint="Correct them; `python -m compileall .` names the line.",
        )
    offers = "The only module does not offer" if count == 1 else f"None of {count} modules offers"
    rest = f" Not readable as Python: {unreadable}." if unreadable else ""
    return finding("env.framework_unknown", f"{offers} {KNOWN}.{rest}", where=wanted)


def _several_found(candidates: list[Candidate], wanted: str) -> Finding:
    names = ", ".join(f"{one.module}:{one.entry}" for one in candidates)
    return finding(
        "env.framework_ambiguous",
        f"The wheel offers {len(candidates)} environments: {names}.",
        where=candidates[0].module,
        hint=""
        if any(candidate.api == "v1" for candidate in candidates)
        else f"Keep one, or name its module {wanted}.",
    )


def _v1_splits(sources: Sources, found: Found) -> tuple[str, ...]:
    """The values of a `split: Literal[...]` field in the Taskset's configuration class."""
    definition = found.module.classes[found.name]
    for base in definition.bases:
        for node in ast.walk(base):
            name = base_name(node) if isinstance(node, ast.Name | ast.Attribute) else ""
            config = sources.find(found.module, name) if name else ""
            if isinstance(config, Found) and config.name in config.module.classes:
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


def _v0_splits(found: Found) -> tuple[str, ...]:
    """`train` and `eval` where load_environment passes on `dataset` and `eval_dataset`."""
    passed = {
        keyword.arg
        for node in ast.walk(found.module.functions[found.name])
        if isinstance(node, ast.Call)
        for keyword in node.keywords
    }
    both = (("dataset", "train"), ("eval_dataset", "eval"))
    return tuple(split for argument, split in both if argument in passed)
