"""Choose the releases of its framework that a wheel can run with, and report where there is none.

A release counts where Requires-Dist admits it, a runner can drive it, and it has the names and
behaviours that the code needs. docs/decisions/0030 and 0059 give the reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from envyard.contract.findings import Finding, finding
from envyard.contract.frameworks.adapters import ADAPTERS
from envyard.contract.frameworks.commits import COMMIT, release_with
from envyard.contract.frameworks.needed import Need, Use
from envyard.contract.frameworks.table import Table, table
from envyard.contract.frameworks.uses import uses
from envyard.contract.git_requirements import GitRequirement, git_requirements
from envyard.contract.metadata import parse

NAMED = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """What to install of the framework.

    `requirement` is a line for the resolver, `release` the newest known one that it admits (empty
    where none is known), `requires_python` that release's own. `findings` hold the problems: an
    error where no release can work.
    """

    requirement: str
    release: str = ""
    requires_python: str = ""
    findings: tuple[Finding, ...] = ()


def choose(
    members: Mapping[str, bytes],
    *,
    framework: str,
    api: str,
    module: str,
    requires_dist: Iterable[str],
) -> Choice:
    """The releases for a wheel given as member path -> bytes, whose environment is in `module`."""
    releases, adapter = table(framework), ADAPTERS[framework, api]
    needed = uses(
        members,
        module,
        releases,
        entry_function=adapter.entry_function,
        behaviour=adapter.behaviour,
    )
    lines = tuple(requires_dist)
    chooser = _Chooser(releases, adapter.releases, _declared(lines, framework), needed)
    pinned = [row for row in git_requirements(lines) if row.name == framework]
    return chooser.choice_of_commit(pinned[0]) if pinned else chooser.choice()


def requires_dist(members: Mapping[str, bytes]) -> tuple[str, ...]:
    """The Requires-Dist lines of a wheel's METADATA; none where it cannot be read."""
    for path, data in members.items():
        if path.count("/") == 1 and path.endswith(".dist-info/METADATA"):
            return parse(data).requires_dist
    return ()


def _declared(requires_dist: Iterable[str], framework: str) -> SpecifierSet:
    """What the wheel itself requires of the framework; an unreadable line is another check's."""
    declared = SpecifierSet()
    for line in requires_dist:
        try:
            requirement = Requirement(line)
            if canonicalize_name(requirement.name) != framework:
                continue
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                declared &= requirement.specifier
        except (InvalidRequirement, ValueError, RecursionError, ArithmeticError):
            continue
    return declared


class _Chooser:
    """One choice; releases are numbers of the table."""

    def __init__(
        self, table: Table, driven: SpecifierSet, declared: SpecifierSet, uses: Sequence[Use]
    ) -> None:
        self.table, self.driven, self.declared, self.uses = table, driven, declared, uses
        self.every = frozenset(range(len(table.releases)))
        self.drivable = frozenset(n for n in self.every if self._in(driven, n))
        self.admitted = frozenset(n for n in self.every if self._in(declared, n))

    def choice(self) -> Choice:
        usable = self.drivable & self.admitted
        if not usable:
            return self._none_usable()
        for need in (Need.POSSIBLE, Need.LIKELY, Need.CERTAIN):
            fits = self._with_names(need) & usable
            if fits:
                return self._chosen(fits, usable, self._left_out(need, max(fits)))
        missing = self._missing(usable)
        return self._chosen(usable, usable, (self._unsatisfied(missing),))

    def choice_of_commit(self, pinned: GitRequirement) -> Choice:
        """What the wheel takes from git: driven where the first release with a commit and the
        release before are, because only releases were tried. Their names are not compared."""
        line = f"{self.table.framework}{self.driven}"
        first, between = release_with(pinned), COMMIT.fullmatch(pinned.revision)
        numbers = [n for n in self.every if str(self.table.releases[n].version) == first]
        around = {n for number in numbers for n in (max(number - bool(between), 0), number)}
        if around and around <= self.drivable:
            return Choice(line, requires_python=self.table.releases[max(around)].requires_python)
        where = f"{first} is the first release with it" if first else "no known release has it"
        revision = pinned.revision[:60] or "its default branch"
        message = (
            f"Requires-Dist takes {self.table.framework} from {pinned.repository} at {revision}; "
            f"{where}; this hub's runners can run {self.table.framework}{self.driven} for "
            "this kind of environment"
        )
        hint = f"Declare {self.table.framework}{self.driven} if the code works with it."
        undriven = finding(
            "env.framework_undriven", f"{message}.", where="Requires-Dist", hint=hint
        )
        return Choice(line, findings=(undriven,))

    def _in(self, specifier: SpecifierSet, number: int) -> bool:
        return specifier.contains(self.table.releases[number].version, prereleases=True)

    def _has(self, use: Use) -> frozenset[int]:
        if use.releases is not None:
            return frozenset(n for n in self.every if self._in(use.releases, n))
        if use.name:
            return self.table.with_name(use.module, use.name)
        return self.table.with_module(use.module)

    def _with_names(self, need: Need) -> frozenset[int]:
        """The releases that export every name needed at least so surely."""
        fits = self.every
        for use in self.uses:
            if use.need >= need:
                fits &= self._has(use)
        return fits

    def _chosen(
        self, fits: frozenset[int], usable: frozenset[int], findings: tuple[Finding, ...]
    ) -> Choice:
        release = self.table.releases[max(fits)]
        excluded = (self.table.releases[n].version for n in sorted(usable - fits) if n < max(fits))
        clauses = [*str(self.driven).split(","), *(f"!={version}" for version in excluded)]
        if max(usable) > max(fits) or self.declared.prereleases:
            clauses.append(f"<={release.version}")  # no development release of a later one either
        line = f"{self.table.framework}{','.join(clauses)}"
        return Choice(line, str(release.version), release.requires_python, findings)

    def _none_usable(self) -> Choice:
        """No known release is both admitted and driven: which of the two is it?"""
        line = f"{self.table.framework}{self.driven}"
        if not self.admitted and not self._pins_undriven():
            return Choice(line)  # development releases, or later ones than the table holds
        message = (
            f"Requires-Dist admits {self.table.framework}{self.declared}; this hub's runners can "
            f"run {self.table.framework}{self.driven} for this kind of environment"
        )
        hint = f"Declare {self.table.framework}{self.driven} if the code works with it."
        undriven = finding(
            "env.framework_undriven", f"{message}.", where="Requires-Dist", hint=hint
        )
        return Choice(line, findings=(undriven,))

    def _pins_undriven(self) -> bool:
        """Whether the wheel names one exact release, and no runner can run that."""
        exact = [clause.version for clause in self.declared if clause.operator == "=="]
        plain = [version for version in exact if not version.endswith(".*")]
        return any(not self.driven.contains(version, prereleases=True) for version in plain)

    def _missing(self, releases: frozenset[int]) -> list[Use]:
        """The certain uses that the newest of those releases does not satisfy."""
        newest = max(releases)
        certain = [use for use in self.uses if use.need == Need.CERTAIN]
        return [use for use in certain if newest not in self._has(use)] or certain

    def _left_out(self, need: Need, newest: int) -> tuple[Finding, ...]:
        """A warning for what functions need and the chosen release does not have."""
        missing = [
            use
            for use in self.uses
            if Need.LIKELY <= use.need < need and newest not in self._has(use)
        ]
        if not missing:
            return ()
        release = self.table.releases[newest].version
        message = (
            f"The environment is run with {self.table.framework} {release}, which does not have "
            f"{self._named(missing)}; no release that can be used has all of it"
        )
        return (
            finding(
                "env.framework_names_missing",
                f"{message}.",
                where=missing[0].where,
                severity="warning",
                names=[use.dotted for use in missing[:NAMED]],
            ),
        )

    def _unsatisfied(self, missing: list[Use]) -> Finding:
        """Why no usable release has what importing the module needs, and who can change that."""
        framework, names_text = self.table.framework, self._named(missing)
        fits = self._with_names(Need.CERTAIN)
        names = [use.dotted for use in missing[:NAMED]]
        if fits and not fits & self.drivable:
            message = (
                f"The code needs {framework} {self._spans(fits)} for {names_text}; this hub's "
                f"runners can run {framework}{self.driven}"
            )
            return finding(
                "env.framework_undriven", f"{message}.", where=missing[0].where, names=names
            )
        message = f"No release of {framework} that Requires-Dist admits exports {names_text}"
        hint = "Write against one release, and name it in the dependencies."
        if fits:
            newest = self.table.releases[max(fits & self.drivable)].version
            message = f"{message}; {framework} {self._spans(fits)} do"
            hint = f'Widen the dependency so that it admits "{framework}=={newest}".'
        elif any(not self._has(use) for use in missing):
            hint = "Correct the names that no release has, or remove their imports."
        return finding(
            "env.framework_names_missing",
            f"{message}.",
            where=missing[0].where,
            severity="error" if self._is_sure() else "warning",
            hint=hint,
            names=names,
        )

    def _is_sure(self) -> bool:
        """Whether no release that the table does not know can be the one that is installed."""
        newest = self.table.releases[-1].version
        latest_driven = self.table.releases[max(self.drivable)].version
        return latest_driven < newest

    def _named(self, missing: list[Use]) -> str:
        """The names, each with its place and the releases that have it."""
        names = [
            f"{use.dotted} ({use.where}; {self._spans(self._has(use)) or 'in no release'})"
            for use in missing[:NAMED]
        ]
        more_text = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        return ", ".join(names) + more_text

    def _spans(self, numbers: frozenset[int]) -> str:
        """`0.1.9 to 0.1.14, 0.3.0`."""
        spans: list[list[int]] = []
        for number in sorted(numbers):
            if spans and spans[-1][1] == number - 1:
                spans[-1][1] = number
            else:
                spans.append([number, number])
        versions = self.table.releases
        return ", ".join(
            f"{versions[a].version} to {versions[b].version}" if b > a else str(versions[a].version)
            for a, b in spans
        )
