"""Which distributions an environment's framework adapter adds to its venv.

An author's own requirement is not enough. verifiers 0.4.0 removed `load_environment` environments;
most of them declare `verifiers>=0.1` and would get 0.4 without the bound added here. Nor does the
`verifiers` that v1 templates declare stop at the release they were written for. Of the releases
left the wheel gets the newest that exports the names its code uses. Source: verifiers 0.1.9 to
0.4.0, package contents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import Specifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from envyard.contract import wheel as wheels
from envyard.contract.frameworks.adapter import Adapter
from envyard.contract.frameworks.choose import choose, requires_dist
from envyard.contract.frameworks.table import table
from envyard_runner.venvs.uv import VenvError


@dataclass(frozen=True, slots=True)
class FrameworkRequirements:
    """What must be installed beside an environment.

    `requirements` are lines for the resolver, `driven` those that a lock made by another runner
    must meet too; `requires_python` is the framework's own Requires-Python. `left_out` names what
    the framework requires and its environments do not import; `preferred` are pins that count where
    nothing requires another release.
    """

    requirements: tuple[str, ...]
    driven: tuple[str, ...] = ()
    requires_python: str = ""
    left_out: tuple[str, ...] = ()
    preferred: tuple[str, ...] = ()


def framework_requirements(adapter: Adapter, *, wheel: Path, module: str) -> FrameworkRequirements:
    """The releases that have the adapter's API, that its guest program was written for and that
    the wheel's code, whose environment is in `module`, can use.

    Raises VenvError where no release can run it.
    """
    try:
        members = wheels.sources(wheel)
    except wheels.Unreadable as error:
        raise VenvError(error.finding) from error
    declared = requires_dist(members)
    choice = choose(
        members,
        framework=adapter.framework,
        api=adapter.api,
        module=module,
        requires_dist=declared,
    )
    for problem in choice.findings:
        if problem.code == "env.framework_undriven":
            raise VenvError(problem)
    beside = (line for line in adapter.installed_beside if not _excluded(line, declared))
    framework = ",".join((choice.requirement, *adapter.bounds_of(choice.release)))
    requirements = (framework, *beside)
    own = {*_names(declared)}
    left_out = (name for name in adapter.left_out_of(choice.release) if name not in own)
    preferred = (pin for pin in adapter.preferred if not own.intersection(_names([pin])))
    return FrameworkRequirements(
        requirements,
        adapter.driven,
        choice.requires_python,
        left_out=tuple(left_out),
        preferred=tuple(preferred),
    )


def _names(declared: Iterable[str]) -> Iterator[str]:
    """The distributions that the wheel itself requires."""
    for text in declared:
        with suppress(ValueError, RecursionError):
            yield canonicalize_name(Requirement(text).name)


def _excluded(line: str, declared: Iterable[str]) -> bool:
    """Whether the wheel itself requires a release of that distribution beyond the line's bound; its
    own requirement counts then, because both together could not be resolved."""
    added = Requirement(line)
    for text in declared:
        try:
            own = Requirement(text)
        except (ValueError, RecursionError):
            continue  # another check's affair
        if canonicalize_name(own.name) == canonicalize_name(added.name):
            return any(_is_beyond(clause, added.specifier) for clause in own.specifier)
    return False


def _is_beyond(clause: Specifier, bound: SpecifierSet) -> bool:
    """Whether the clause requires at least a version that the bound does not contain."""
    lowest = clause.operator in (">=", ">", "==", "===", "~=")
    try:
        return lowest and not bound.contains(clause.version.removesuffix(".*"), prereleases=True)
    except InvalidVersion:
        return False


def is_known_release(framework: str, version: str) -> bool:
    """Whether the table of the framework's releases lists the version and its exported names."""
    return any(release.version == Version(version) for release in table(framework).releases)
