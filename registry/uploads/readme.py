"""What an upload's README must be able to give: the page that shows it."""

from __future__ import annotations

from collections.abc import Iterator

from envyard.contract.findings import Finding, finding
from envyard.contract.wheel import Wheel
from registry.uploads import rendering


def renders(whl: Wheel) -> Iterator[Finding]:
    """A README in reStructuredText has no fault that its renderer stops at, and needs little."""
    said = whl.metadata
    if rendering.kind(said.description_content_type) != rendering.RST:
        return  # everything else renders, or is shown as it is written
    if said.description.strip() and (
        fault := rendering.apart(said.description, rendering.RST).fault
    ):
        yield finding(
            "metadata.bad_description",
            f"METADATA: the description of type {rendering.RST!r} does not render: {fault[:400]}",
            where="description",
        )
