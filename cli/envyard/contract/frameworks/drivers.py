"""The releases of each framework that the hub's runners can drive, by API."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet

# verifiers 0.4.0 removed `load_environment` environments; its v1 differs from earlier ones.
DRIVEN: dict[str, dict[str, SpecifierSet]] = {
    "verifiers": {"v0": SpecifierSet("<0.4"), "v1": SpecifierSet(">=0.4,<0.5")}
}
