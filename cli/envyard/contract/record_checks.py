"""The static check of RECORD, which installers do not check. Pure functions."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterator

from envyard.contract.findings import Finding, finding
from envyard.contract.members import Member
from envyard.contract.wheel import Wheel

MORE_ROWS = 100  # than members: enough to name them one by one
Rows = dict[str, tuple[str, str]]


def record(whl: Wheel) -> Iterator[Finding]:
    """RECORD lists exactly the members, each with its true hash and size; itself blank.

    The hash is sha256 or, as the specification admits, a stronger one of SHA-2.
    """
    if not whl.dist_info:
        return
    where = f"{whl.dist_info}/RECORD"
    if whl.record is None:
        yield finding("wheel.no_record", f"{where!r} is missing or not UTF-8", where=where)
        return
    listed: Rows = {}
    max_rows = len(whl.members) + MORE_ROWS
    try:
        for number, row in enumerate(csv.reader(io.StringIO(whl.record, newline="")), 1):
            if number > max_rows:
                yield finding(
                    "wheel.record_extra",
                    f"RECORD has more than {max_rows} rows, "
                    f"and the wheel {len(whl.members)} members",
                    where=where,
                )
                return
            yield from _row(row, f"row {number} of RECORD, {str(row)[:400]},", listed, where)
    except csv.Error as error:
        yield finding("wheel.record_not_csv", f"{where!r} is not CSV: {error}", where=where)
        return
    yield from _extra_rows(whl, listed, where)
    yield from _members(whl, listed, where)


def _row(row: list[str], subject: str, listed: Rows, where: str) -> Iterator[Finding]:
    """Add the row to `listed`, or yield a finding about it."""
    if len(row) != 3:
        yield finding("wheel.record_bad_row", f"{subject} is not path,hash,size", where=where)
    elif row[0] in listed:
        yield finding(
            "wheel.record_twice", f"{subject} repeats its path; each may be there once", where=where
        )
    else:
        listed[row[0]] = (row[1], row[2])


def _extra_rows(whl: Wheel, listed: Rows, where: str) -> Iterator[Finding]:
    names = {member.name for member in whl.files}
    for path in sorted(listed.keys() - names):
        yield finding(
            "wheel.record_extra", f"RECORD lists {path[:400]!r}, which is no member", where=where
        )


def _members(whl: Wheel, listed: Rows, where: str) -> Iterator[Finding]:
    for member in whl.files:
        row = listed.get(member.name)
        if row is None:
            yield finding(
                "wheel.record_missing",
                f"member {member.name!r} is not listed in RECORD; each member must be",
                where=member.name,
            )
        elif member.name == where:
            if row != ("", ""):
                yield finding(
                    "wheel.record_itself",
                    f"RECORD gives {','.join(row)[:200]!r} for {where!r}, itself; both stay empty",
                    where=where,
                )
        else:
            yield from _differences(member, *row)


def _differences(member: Member, listed_digest: str, listed_size: str) -> Iterator[Finding]:
    """The findings about one member's row."""
    name, size = member.name, str(member.size)
    digests = {"sha256": member.sha256, **dict(member.digests)}
    algorithm = listed_digest.partition("=")[0]
    checked_algorithm = algorithm if algorithm in digests else "sha256"
    digest = _row_digest(checked_algorithm, digests[checked_algorithm])
    if not listed_digest:
        code = "wheel.record_no_hash"
    elif algorithm not in digests:
        code = "wheel.record_hash_kind"
    else:
        code = "wheel.record_hash"
    if listed_digest != digest:
        yield finding(
            code, f"RECORD says {listed_digest[:200]!r} of {name!r}; true is {digest!r}", where=name
        )
    if listed_size != size:
        yield finding(
            "wheel.record_size",
            f"RECORD gives {listed_size[:200]!r} bytes for {name!r}; it has {size!r}",
            where=name,
        )


def _row_digest(algorithm: str, digest: str) -> str:
    """RECORD's way to write a hexadecimal digest: urlsafe base64 without padding."""
    encoded = base64.urlsafe_b64encode(bytes.fromhex(digest)).decode().rstrip("=")
    return f"{algorithm}={encoded}"
