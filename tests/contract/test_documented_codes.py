"""docs/wheels.md has every rule for wheels, and no other."""

import re
from pathlib import Path

from envyard.contract import metadata, nested, path_checks
from envyard.contract.codes import CODES
from envyard.contract.headers import MAX_NAME
from envyard.contract.wheel import LIMITS, MIB

TEXT = (Path(__file__).parents[2] / "docs/wheels.md").read_text()


def test_every_code_for_wheels_is_documented_once() -> None:
    documented = re.findall(r"`((?:wheel|metadata)\.[a-z0-9_]+)`", TEXT)
    assert sorted(documented) == sorted(
        code for code in CODES if code.startswith(("wheel.", "metadata."))
    )


def test_the_limits_are_those_of_the_code() -> None:
    for limit in (
        f"{LIMITS.packed // MIB} MiB",
        f"{LIMITS.members:,}",
        f"{LIMITS.expanded // MIB} MiB",
        f"{LIMITS.ratio} times",
        f"{LIMITS.ratio_floor // MIB} MiB",
        f"{nested.MAX_PARTS:,} parts",
        f"{metadata.MAX_FIELDS:,} fields, or {metadata.MAX_NAMES} kinds",
        f"Description and License {metadata.MAX_VALUE:,}",
        f"| {LIMITS.metadata // MIB} MiB |",
        f"| {LIMITS.record // MIB} MiB |",
        f"| {LIMITS.document // 1024} KiB each |",
        f"{MAX_NAME} bytes",
        f"{path_checks.MAX_PART_BYTES} for each part",
        f"{path_checks.MAX_PARTS} parts |",
    ):
        assert limit in TEXT
