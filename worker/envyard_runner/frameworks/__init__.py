"""One adapter a framework: what its environments need installed, and what to start for them."""

from __future__ import annotations

from envyard_runner.frameworks.base import Framework
from envyard_runner.frameworks.verifiers import Verifiers

FRAMEWORKS: dict[str, Framework] = {"verifiers": Verifiers()}
