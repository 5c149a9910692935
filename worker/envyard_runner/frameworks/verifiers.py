"""verifiers: v1 environments run on 0.4, classic ones on a release from 0.2 to 0.3.1.

verifiers 0.4.0 removed `load_environment` environments; most of them declare `verifiers>=0.1` and
would get 0.4 without the bound added here. Nor does the `verifiers` that v1 templates declare stop
at the release they were written for. Of the releases left the wheel gets the newest that exports
the names its code uses. Source: verifiers 0.2.0 to 0.4.0, package contents.
"""

from __future__ import annotations

from pathlib import Path

from packaging.version import Version

from envyard.contract import wheel as wheels
from envyard.contract.frameworks.adapters import ADAPTERS
from envyard.contract.frameworks.choose import choose, requires_dist
from envyard.contract.frameworks.table import table
from envyard_runner.frameworks.base import Needed
from envyard_runner.venvs.uv import VenvError

NAME = "verifiers"


class Verifiers:
    """The adapter for both of its APIs."""

    def needed(self, api: str, *, wheel: Path, module: str) -> Needed:
        """The releases that have this API, that the driver was written for and the code can use."""
        try:
            members = wheels.sources(wheel)
        except wheels.Unreadable as error:
            raise VenvError(error.finding) from error
        choice = choose(
            members,
            framework=NAME,
            api=api,
            module=module,
            requires_dist=requires_dist(members),
        )
        for problem in choice.findings:
            if problem.code == "env.framework_undriven":
                raise VenvError(problem)
        adapter = ADAPTERS[NAME, api]
        requirements = (choice.requirement, *adapter.installed_beside)
        return Needed(requirements, adapter.requirements, choice.requires_python)

    def known(self, version: str) -> bool:
        """Whether the table of releases has it."""
        return any(release.version == Version(version) for release in table(NAME).releases)

    def program(self, inside: str) -> list[str]:
        """The supervisor, which starts the driver; without `site`, so that no `.pth` file or
        `sitecustomize` of the version's venv runs in it."""
        return ["-I", "-S", f"{inside}/main.py"]
