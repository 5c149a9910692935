"""The check of an upload that its README renders."""

from __future__ import annotations

from collections.abc import Iterator

from envyard.contract.findings import Finding, finding
from envyard.contract.wheel import Wheel
from registry.uploads import rendering


def renders(whl: Wheel) -> Iterator[Finding]:
    """A README in reStructuredText renders without errors and within the limits."""
    metadata = whl.metadata
    if rendering.kind(metadata.description_content_type) != rendering.RST:
        return  # all others render, or are shown as plain text
    if metadata.description.strip() and (
        fault := rendering.render_in_process(metadata.description, rendering.RST).fault
    ):
        yield finding(
            "metadata.bad_description",
            f"METADATA: the description of type {rendering.RST!r} does not render: {fault[:400]}",
            where="description",
        )
