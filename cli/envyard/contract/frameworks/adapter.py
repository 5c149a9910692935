"""The type of an adapter: all that hub, runner and command line know about one framework API."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from string import Template

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from envyard.contract.findings import Finding
from envyard.contract.frameworks.needed import Behaviour, no_behaviour
from envyard.contract.frameworks.table import Release, table
from envyard.contract.sources import Definition, Module, Sources

# What a reader replaces in the command of a usage.
MODEL, MODEL_URL = "MODEL", "http://127.0.0.1:8000/v1"
# Characters of a version's framework, API and entry that the hub stores; usual names are shorter.
MAX_FRAMEWORK, MAX_API, MAX_ENTRY_NAME = 20, 10, 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One possible environment: the top-level module that offers it, the name there, and the class
    or function behind that name."""

    module: str
    name: str
    definition: Definition


@dataclass(frozen=True, slots=True)
class Training:
    """How a trainer that does not know the framework trains on tasks of one turn without tools.

    `requirement` is what the trainer needs beside the version's lock, `releases` are those of the
    framework that the tests run `program` with, and `note` says what it does. `elsewhere` names the
    trainers that play the framework's own loop, for all other environments.
    """

    trainer: str
    requirement: str
    releases: SpecifierSet
    program: str
    note: str
    elsewhere: str


@dataclass(frozen=True, slots=True)
class Usage:
    """How to use an environment outside the hub: Python that loads it, and the framework's own
    command that evaluates a model with it, each with a sentence about what it does; and how to
    train on it, None where no test runs a trainer."""

    loading: str
    loading_note: str
    evaluating: str
    evaluating_note: str
    training: Training | None = None


def override_lines(names: Iterable[str]) -> str:
    """uv's overrides that leave these distributions out of what it resolves."""
    return "".join(f"{name} ; python_version < '0'\n" for name in names)


@dataclass(frozen=True, slots=True)
class Adapter:
    """One API of one framework; raises ValueError for a name that the hub cannot store.

    `framework` is the name of the distribution and of its top-level module, and names the JSON file
    of its releases beside this module; other code uses it for all three. `releases` are those that
    the guest program was written for; `installed_beside` are further requirements of the
    environment's venv. `left_out` names distributions that only the framework's own commands
    import, with its first release that does not require them: they are not installed. `preferred`
    are pins that a new lock has where nothing requires another release.
    `guest_program` is `module:class` in `envyard_runner.guest`. `templates` are the folders of
    env_template that use it.

    Detection: `entries` lists the environments that a top-level module offers, `module_names` the
    module names that the framework tries for a distribution name, `splits` the dataset splits of an
    entry, and `near_miss` explains a wheel that the framework nearly recognises, given the expected
    module name. `entry_description`, `single_entry_hint` and `runs_with` are parts of messages.
    Uses in `entry_function`, a function of the environment's module, are as certain as those that
    importing the module reaches; empty for none. `behaviour` is what an expression in the wheel's
    code needs of the framework beside names.

    `usage_texts` has `$module` in place of the environment's module, and MODEL and MODEL_URL in
    place of the model's; tests/worker/guest/adapters/test_usage.py and tests/trainers run what it
    renders.
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
    usage_texts: Usage
    entry_function: str = ""
    left_out: tuple[tuple[str, str], ...] = ()
    preferred: tuple[str, ...] = ()
    behaviour: Callable[[ast.AST], Behaviour | None] = no_behaviour

    def __post_init__(self) -> None:
        name, api = self.framework, self.api
        if not name.isidentifier() or canonicalize_name(name) != name or len(name) > MAX_FRAMEWORK:
            raise ValueError(
                f"framework {name!r} must be a normalized distribution name that is a module name "
                f"too, of at most {MAX_FRAMEWORK} characters"
            )
        if not 0 < len(api) <= MAX_API:
            raise ValueError(f"api {api!r} of {name} must have 1 to {MAX_API} characters")

    @property
    def requirements(self) -> tuple[str, ...]:
        """The lines for the resolver that every environment of this API gets."""
        return (f"{self.framework}{self.releases}", *self.installed_beside)

    @property
    def driven(self) -> tuple[str, ...]:
        """What a lock of earlier times must contain: the bounds of `installed_beside` may be later
        than it, and a version's lock never changes."""
        names = (Requirement(line).name for line in self.installed_beside)
        return (f"{self.framework}{self.releases}", *names)

    def left_out_of(self, release: str) -> tuple[str, ...]:
        """The distributions that are not installed with that release; all where it is empty."""
        return tuple(name for name, first in self.left_out if _is_before(release, first))

    def bounds_of(self, release: str) -> tuple[str, ...]:
        """What keeps the resolver from going back to a release that requires what is only left out
        of the earlier ones."""
        firsts = (first for _, first in self.left_out if not _is_before(release, first))
        return tuple(f">={first}" for first in firsts)

    def usage(self, module: str) -> Usage:
        """Its use of the environment in that module, which is the name that the framework loads;
        raises ValueError for what is no name of a module."""
        if not (module.isascii() and module.isidentifier()):
            raise ValueError(f"module {module!r} must be an ASCII identifier")
        texts = self.usage_texts

        def named(text: str) -> str:
            return Template(text).substitute(module=module)

        return replace(
            texts,
            loading=named(texts.loading),
            evaluating=named(texts.evaluating),
            training=texts.training
            and replace(texts.training, program=named(texts.training.program)),
        )

    def known_releases(self) -> list[Release]:
        """The releases in the framework's table that the guest program was written for."""
        return [r for r in table(self.framework).releases if r.version in self.releases]


def _is_before(release: str, other: str) -> bool:
    return not release or Version(release) < Version(other)
