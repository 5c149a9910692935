"""The releases of each framework that the hub's runners can drive, by API."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet

# verifiers 0.4.0, and development releases from 0.3.2 on, have no `load_environment` environments;
# its v1 differs from earlier ones. Releases before 0.2 need a distribution that has no wheel.
DRIVEN: dict[str, dict[str, SpecifierSet]] = {
    "verifiers": {"v0": SpecifierSet(">=0.2,<0.3.2"), "v1": SpecifierSet(">=0.4,<0.5")}
}
