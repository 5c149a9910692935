"""The Python versions that a run may use, and the runners that offer one of them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from django.db.models import Q
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from envyard.contract.frameworks.adapters import ADAPTERS
from registry.accounts import runners
from registry.accounts.models import Runner
from registry.catalog.models import Version
from registry.runs.models import Run

MINORS = tuple(f"3.{minor}" for minor in range(11, 31))
MICROS = range(40)
NONE = ",none,"


def tag_of(version: Version) -> str:
    """The value of `Run.pythons` for the version: `,3.12,3.13,`; empty where every Python fits.

    Two Requires-Python count, the wheel's and that of the newest release of its framework that
    runners support; runners check their micro version themselves.
    """
    specifiers = _specifiers(version)
    admitted = [
        minor for minor in MINORS if any(_admit(specifiers, f"{minor}.{micro}") for micro in MICROS)
    ]
    if len(admitted) == len(MINORS):
        return ""
    return f",{','.join(admitted)}," if admitted else NONE


def fits(version: Version, python: str) -> bool:
    """Whether the version runs on exactly that Python, such as 3.12.4."""
    return _admit(_specifiers(version), python)


def runnable(offered: Iterable[str]) -> Q:
    """The runs that a runner with these Pythons can execute; all, where it reports none."""
    versions = list(offered)
    if not versions:
        return Q()
    condition = Q(pythons="")
    for minor in sorted({minor_of(version) for version in versions}):
        condition |= Q(pythons__contains=f",{minor},")
    return condition


def lacking(run: Run) -> str:
    """The sentence for a run whose Python no live runner has; empty where one has, or any fits.

    A runner of an earlier release reports none and may have it.
    """
    if not run.pythons:
        return ""
    alive = list(runners.alive().only("capabilities"))
    if any(_offers(runner, run.version) for runner in alive):
        return ""
    minors = [minor for minor in run.pythons.split(",") if minor in MINORS]
    written = run.version.requires_python or "what its framework needs"
    python_text = f"Python {' or '.join(minors[:3])}" if minors else "a Python for this environment"
    offered = ", ".join(runners.pythons_offered())
    have = f"live runners offer {offered}" if offered else "no runner is live"
    return (
        f"No runner has {python_text} (Requires-Python: {written}; {have}). The run stays "
        "queued until a runner offers it: one offers the interpreters that `RUNNER_PYTHONS` lists, "
        "by default each /usr/bin/python3.X and /usr/local/bin/python3.X of its machine."
    )


def minor_of(python: str) -> str:
    """`3.12` of `3.12.4`."""
    return ".".join(python.split(".")[:2])


def _offers(runner: Runner, version: Version) -> bool:
    offered = runners.pythons(runner)
    return not offered or any(fits(version, python) for python in offered)


def _of_framework(version: Version) -> str:
    adapter = ADAPTERS.get((version.framework, version.api))
    releases = adapter.known_releases() if adapter else []
    return releases[-1].requires_python if releases else ""


def _specifiers(version: Version) -> list[SpecifierSet]:
    """Both of them, parsed; an unreadable one admits all."""
    parsed = []
    for text in (version.requires_python, _of_framework(version)):
        with suppress(InvalidSpecifier):
            parsed.append(SpecifierSet(text))
    return parsed


def _admit(specifiers: Iterable[SpecifierSet], python: str) -> bool:
    return all(specifier.contains(python) for specifier in specifiers)
