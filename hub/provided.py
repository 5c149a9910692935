"""What runs of a hub on one machine have: probes always, the rest by the operator's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provision:
    """Something that runs may have once all `settings` are set; `shown` is the one to print."""

    name: str
    settings: tuple[str, ...]
    shown: str

    def sentence(self, environ: Mapping[str, str]) -> str:
        """`judge NAME`, or `no judge (set NAMES)`."""
        missing = [setting for setting in self.settings if not environ.get(setting)]
        if missing:
            return f"no {self.name} (set {' and '.join(missing)})"
        return f"{self.name} {environ[self.shown]}"


PROVISIONS = (
    Provision("data sets", ("RUNNER_DATA_URL",), "RUNNER_DATA_URL"),
    Provision("judge", ("HUB_JUDGE_MODEL", "RUNNER_JUDGE_URL"), "HUB_JUDGE_MODEL"),
    Provision("model", ("HUB_MODEL", "HUB_MODEL_URL"), "HUB_MODEL"),
)


def line(environ: Mapping[str, str]) -> str:
    """One line: what runs have, and for what they lack the settings that add it."""
    return "Runs have: " + "; ".join(each.sentence(environ) for each in PROVISIONS)
