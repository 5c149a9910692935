"""verifiers: v1 environments run on 0.4, classic ones on the last release that has their API.

verifiers 0.4.0 removed `load_environment` environments; most of them declare `verifiers>=0.1` and
would get 0.4 without the bound added here. Nor does the `verifiers` that v1 templates declare stop
at the release they were written for. A wheel whose own bound leaves nothing of these cannot be
resolved, and its author is told so. Source: verifiers 0.3.1 and 0.4.0, package contents.
"""

from __future__ import annotations

ADDED = {"v1": ["verifiers>=0.4,<0.5"], "v0": ["verifiers<0.4", "datasets"]}


class Verifiers:
    """The adapter for both of its APIs."""

    def requirements(self, api: str) -> list[str]:
        """The releases that have this API and that the driver was written for."""
        return list(ADDED[api])

    def program(self, inside: str) -> list[str]:
        """The supervisor, which starts the driver; without `site`, so that no `.pth` file or
        `sitecustomize` of the version's venv runs in it."""
        return ["-I", "-S", f"{inside}/main.py"]
