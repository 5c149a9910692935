"""verifiers: v1 environments run on 0.4, classic ones on the last release that has their API.

verifiers 0.4.0 removed `load_environment` environments; most of them declare `verifiers>=0.1` and
would get 0.4 without the bound added here. Source: verifiers 0.3.1 and 0.4.0, package contents.
"""

from __future__ import annotations

from collections.abc import Iterable

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

CLASSIC = ["verifiers<0.4", "datasets"]
CURRENT = ["verifiers>=0.4,<0.5"]


class Verifiers:
    """The adapter for both of its APIs."""

    def requirements(self, api: str, declared: Iterable[str]) -> list[str]:
        """The bound of the API's last release; a v1 wheel that declares verifiers keeps its own."""
        if api == "v0":
            return list(CLASSIC)
        return [] if "verifiers" in set(_names(declared)) else list(CURRENT)

    def program(self, inside: str) -> list[str]:
        """One supervisor that starts the driver and the second load beside it."""
        return [f"{inside}/main.py"]


def _names(declared: Iterable[str]) -> Iterable[str]:
    for line in declared:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield canonicalize_name(requirement.name)
