"""Seeded broken repositories: a blueprint, one of its bugs, and a package name."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from bug_fix.blueprint import Blueprint, Bug, Call
from bug_fix.blueprints import BLUEPRINTS

KINDS: tuple[tuple[Blueprint, Bug], ...] = tuple(
    (blueprint, bug) for blueprint in BLUEPRINTS for bug in blueprint.bugs
)
ADJECTIVES = (
    "amber", "brisk", "calm", "dusty", "eager", "fair", "grand", "hazel", "iron", "jolly",
    "keen", "lunar", "mossy", "noble", "olive", "plain", "quick", "rusty", "solar", "tidy",
)  # fmt: skip
MOST = len(KINDS) * len(ADJECTIVES)
"""How many different repositories there are."""


@dataclass(frozen=True, slots=True)
class Repository:
    """One broken repository and what is needed to judge a repair."""

    package: str
    report: str
    broken: dict[str, str]
    right: dict[str, str]
    bug_path: str
    bug_text: str
    right_text: str
    hidden: list[Call]


def build(blueprint: Blueprint, bug: Bug, *, adjective: str, seed: str) -> Repository:
    """The repository of one bug, its package named `{adjective}_{noun}`."""
    package = f"{adjective}_{blueprint.noun}"

    def named(text: str) -> str:
        return text.replace("PKG", package)

    right = {named(path): named(source) for path, source in blueprint.files.items()}
    right[f"tests/test_{package}.py"] = named(blueprint.tests)
    path = named(bug.path)
    broken = {**right, path: right[path].replace(named(bug.right), named(bug.wrong))}
    calls = blueprint.calls(random.Random(f"hidden/{seed}"))
    return Repository(
        package=package,
        report=bug.report,
        broken=broken,
        right=right,
        bug_path=path,
        bug_text=named(bug.wrong),
        right_text=named(bug.right),
        hidden=[(named(module), function, arguments) for module, function, arguments in calls],
    )


def repositories(*, seed: int, count: int) -> Iterator[Repository]:
    """`count` different repositories, at most MOST; every bug comes up before any comes twice."""
    rng = random.Random(f"bug-fix/{seed}")
    rounds = [rng.sample(ADJECTIVES, len(ADJECTIVES)) for _ in KINDS]
    for turn in range(-(-count // len(KINDS))):
        order = rng.sample(range(len(KINDS)), len(KINDS))
        for kind in order[: count - turn * len(KINDS)]:
            blueprint, bug = KINDS[kind]
            name = rounds[kind][turn]
            yield build(blueprint, bug, adjective=name, seed=f"{seed}/{turn}/{kind}")
