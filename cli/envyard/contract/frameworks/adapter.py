"""The type of an adapter: all that hub, runner and command line know about one framework API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet

from envyard.contract.findings import Finding
from envyard.contract.frameworks.table import Release, table
from envyard.contract.sources import Definition, Module, Sources


@dataclass(frozen=True, slots=True)
class Entry:
    """One possible environment: the top-level module that offers it, the name there, and the class
    or function behind that name."""

    module: str
    name: str
    definition: Definition


@dataclass(frozen=True, slots=True)
class Adapter:
    """One API of one framework.

    `releases` are those that the guest program was written for; `installed_beside` are further
    requirements of the environment's venv. `guest_program` is `module:class` in
    `envyard_runner.guest`. `templates` are the folders of env_template that use it.

    Detection: `entries` lists the environments that a top-level module offers, `module_names` the
    module names that the framework tries for a distribution name, `splits` the dataset splits of an
    entry, and `near_miss` explains a wheel that the framework nearly recognises, given the expected
    module name. `entry_description`, `single_entry_hint` and `runs_with` are parts of messages.
    """

    framework: str
    api: str
    releases: SpecifierSet
    installed_beside: tuple[str, ...]
    guest_program: str
    templates: tuple[str, ...]
    entry_description: str
    single_entry_hint: str
    runs_with: str
    entries: Callable[[Sources, Module], list[Entry]]
    module_names: Callable[[str], set[str]]
    splits: Callable[[Sources, Definition], tuple[str, ...]]
    near_miss: Callable[[Sources, str], Finding | None]

    @property
    def requirements(self) -> tuple[str, ...]:
        """The lines for the resolver that every environment of this API gets."""
        return (f"{self.framework}{self.releases}", *self.installed_beside)

    def known_releases(self) -> list[Release]:
        """The releases in the framework's table that the guest program was written for."""
        return [r for r in table(self.framework).releases if r.version in self.releases]
