"""The static checks that a wheel must pass: the same on the author's machine and on the hub.

Each check is a pure function of the wheel; STATIC is run from top to bottom. For an archive that
cannot be read in only one way, `run_all` returns that finding alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from envyard.contract import (
    dist_info_checks,
    entry_point_checks,
    layout_checks,
    metadata_checks,
    metadata_rules,
    module_checks,
    path_checks,
    record_checks,
    wheel,
)
from envyard.contract.findings import Finding
from envyard.contract.git_requirements import Repositories
from envyard.contract.wheel import LIMITS, Limits, Unreadable, Wheel

Check = Callable[[Wheel], Iterable[Finding]]
NO_REPOSITORIES = Repositories()

# A wheel with ten thousand bad members gets findings about the first ones.
MAX_FINDINGS_A_CHECK = 20

STATIC: tuple[Check, ...] = (
    dist_info_checks.file_name,
    path_checks.paths,
    path_checks.kinds,
    path_checks.collisions,
    dist_info_checks.folder,
    dist_info_checks.wheel_file,
    record_checks.record,
    dist_info_checks.pure_tag,
    layout_checks.dist_info_members,
    layout_checks.top_level,
    layout_checks.top_level_file,
    layout_checks.data_scripts,
    entry_point_checks.scripts,
    module_checks.compiled,
    module_checks.bytecode,
    module_checks.tokens,
    module_checks.pickles,
    module_checks.sources,
    module_checks.modules_twice,
    module_checks.programs,
    metadata_checks.present,
    metadata_checks.fields,
    metadata_checks.lengths,
    metadata_checks.name,
    metadata_checks.version,
    metadata_checks.requirements,
    metadata_checks.license_files,
    metadata_rules.shown_text,
    metadata_rules.licences,
    metadata_rules.extras,
    metadata_rules.import_names,
    metadata_rules.own_dependency,
    metadata_rules.pythons,
    metadata_rules.links,
    metadata_checks.recommended_texts,
)


def run_all(
    source: Path | BinaryIO, *, filename: str = "", limits: Limits = LIMITS
) -> list[Finding]:
    """Every finding about the wheel. Never raises for its content."""
    try:
        return run(wheel.read(source, filename=filename, limits=limits))
    except Unreadable as error:
        return [error.finding]


def run(whl: Wheel, repositories: Repositories = NO_REPOSITORIES) -> list[Finding]:
    """Every finding about a wheel that was read, for a hub that allows these git repositories."""
    checks: list[Check] = [*STATIC]
    checks.append(partial(metadata_checks.direct_urls, repositories=repositories))
    return [finding for check in checks for finding in islice(check(whl), MAX_FINDINGS_A_CHECK)]
