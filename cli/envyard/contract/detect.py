"""Find the one environment in a wheel and its framework, from the wheel's code alone.

The version pin of a dependency is no evidence: most wheels pin nothing, and a `verifiers` without a
bound means another API today than when it was written.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.parser import BytesHeaderParser

from packaging.specifiers import SpecifierSet

from envyard.contract.findings import Finding, finding
from envyard.contract.frameworks.adapter import Adapter, Entry
from envyard.contract.frameworks.adapters import ADAPTERS, ENTRIES
from envyard.contract.names import module_name
from envyard.contract.needs.kinds import Need
from envyard.contract.sources import Module, Sources

UNREADABLE = "env.unreadable_python"
THIS_PYTHON = platform.python_version()


@dataclass(frozen=True, slots=True)
class Detection:
    """The one environment a wheel holds; `framework` is empty where no single one was found.

    `entry` is the name of its class or function, such as a Taskset or `load_environment`. `splits`
    are the names the code offers, empty where it offers no choice. `release` is the framework's
    newest known release that the wheel can run with, empty where that is not known. `needs` are
    what it declares or probably needs from outside, `variables` those that it declares.
    """

    framework: str = ""
    api: str = ""
    module: str = ""
    entry: str = ""
    splits: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    release: str = ""
    needs: tuple[Need, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible environment, and the adapter that recognised it."""

    adapter: Adapter
    entry: Entry


def detect(members: Mapping[str, bytes]) -> Detection:
    """Find the environment in a wheel given as member path -> bytes. Only .py files and METADATA
    are read, and nothing is imported or executed."""
    name = distribution_name(members)
    expected = module_name(name)
    sources = Sources.of(members)
    candidates = [
        candidate for module in sources.top_level() for candidate in _candidates(sources, module)
    ]
    matching = [c for c in candidates if c.entry.module in c.adapter.module_names(name)]
    chosen = matching or candidates
    if not chosen:
        requires_python = metadata_field(members, "Requires-Python")
        if sources.unreadable and not _admits_this_python(requires_python):
            return Detection(findings=(_newer_python(sources, requires_python),))
        return Detection(findings=(_no_candidate(sources, expected),))
    if len(chosen) > 1:
        return Detection(findings=(_several_candidates(chosen, expected),))
    return _detection(sources, chosen[0], expected, right_name=bool(matching))


def distribution_name(members: Mapping[str, bytes]) -> str:
    """The Name field of the wheel's METADATA, or an empty text."""
    return metadata_field(members, "Name")


def metadata_field(members: Mapping[str, bytes], field: str) -> str:
    """That field of the wheel's METADATA, or an empty text."""
    for path, data in members.items():
        if path.count("/") == 1 and path.endswith(".dist-info/METADATA"):
            return str(BytesHeaderParser().parsebytes(data).get(field, "")).strip()
    return ""


def _candidates(sources: Sources, module: Module) -> list[Candidate]:
    """The environments of a module for the first adapter that recognises any."""
    for adapter in ADAPTERS.values():
        if entries := adapter.entries(sources, module):
            return [Candidate(adapter, entry) for entry in entries]
    return []


def _detection(
    sources: Sources, candidate: Candidate, expected: str, *, right_name: bool
) -> Detection:
    adapter, entry = candidate.adapter, candidate.entry
    findings: tuple[Finding, ...] = ()
    if not right_name:
        findings = (
            finding(
                "env.module_name_mismatch",
                f"The environment is in module {entry.module!r}, but {adapter.framework} imports "
                f"{expected!r} for this name.",
                where=entry.module,
                hint=f"Rename the module to {expected}, or the distribution to "
                f"{entry.module.replace('_', '-')}.",
            ),
        )
    return Detection(
        framework=adapter.framework,
        api=adapter.api,
        module=entry.module,
        entry=entry.name,
        splits=adapter.splits(sources, entry.definition),
        findings=findings,
    )


def _no_candidate(sources: Sources, expected: str) -> Finding:
    for adapter in ADAPTERS.values():
        if near_miss := adapter.near_miss(sources, expected):
            return near_miss
    return _no_environment(sources, expected)


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


def _no_environment(sources: Sources, expected: str) -> Finding:
    count, unreadable = len(sources.modules), ", ".join(sources.unreadable[:3])
    if unreadable and not count:
        return finding(
            "env.framework_unknown",
            f"No module of the wheel is readable as Python: {unreadable}.",
            where=expected,
            hint="Correct them; `python -m compileall .` names the line.",
        )
    offers = "The only module does not offer" if count == 1 else f"None of {count} modules offers"
    unreadable_text = f" Not readable as Python: {unreadable}." if unreadable else ""
    return finding("env.framework_unknown", f"{offers} {ENTRIES}.{unreadable_text}", where=expected)


def _several_candidates(candidates: list[Candidate], expected: str) -> Finding:
    names = ", ".join(f"{c.entry.module}:{c.entry.name}" for c in candidates)
    first = next(a for a in ADAPTERS.values() if any(c.adapter is a for c in candidates))
    return finding(
        "env.framework_ambiguous",
        f"The wheel offers {len(candidates)} environments: {names}.",
        where=candidates[0].entry.module,
        hint=first.single_entry_hint.format(module=expected),
    )
