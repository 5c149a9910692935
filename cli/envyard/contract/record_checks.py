"""The static check of RECORD, which no installer makes. Pure functions."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterator

from envyard.contract.codes import Finding, finding
from envyard.contract.wheel import Wheel

MORE_ROWS = 100  # than members: enough to name them one by one
Rows = dict[str, tuple[str, str]]


def record(whl: Wheel) -> Iterator[Finding]:
    """RECORD lists exactly the members, each with its true sha256 and size; itself blank."""
    if not whl.dist_info:
        return
    where = f"{whl.dist_info}/RECORD"
    if whl.record is None:
        yield finding("wheel.no_record", f"{where!r} is missing or not UTF-8", where=where)
        return
    listed: Rows = {}
    most = len(whl.members) + MORE_ROWS
    try:
        for number, row in enumerate(csv.reader(io.StringIO(whl.record, newline="")), 1):
            if number > most:
                yield finding(
                    "wheel.record_extra",
                    f"RECORD has more than {most} rows, and the wheel {len(whl.members)} members",
                    where=where,
                )
                return
            yield from _row(row, f"row {number} of RECORD, {str(row)[:400]},", listed, where)
    except csv.Error as error:
        yield finding("wheel.record_not_csv", f"{where!r} is not CSV: {error}", where=where)
        return
    yield from _strangers(whl, listed, where)
    yield from _members(whl, listed, where)


def _row(row: list[str], told: str, listed: Rows, where: str) -> Iterator[Finding]:
    """Note what the row says, or tell what is wrong with it."""
    if len(row) != 3:
        yield finding("wheel.record_bad_row", f"{told} is not path,hash,size", where=where)
    elif row[0] in listed:
        yield finding(
            "wheel.record_twice", f"{told} lists its path again; it stands once", where=where
        )
    else:
        listed[row[0]] = (row[1], row[2])


def _strangers(whl: Wheel, listed: Rows, where: str) -> Iterator[Finding]:
    names = {member.name for member in whl.files}
    for path in sorted(listed.keys() - names):
        yield finding(
            "wheel.record_extra", f"RECORD lists {path[:400]!r}, which is no member", where=where
        )


def _members(whl: Wheel, listed: Rows, where: str) -> Iterator[Finding]:
    for member in whl.files:
        given = listed.get(member.name)
        if given is None:
            yield finding(
                "wheel.record_missing",
                f"member {member.name!r} is not listed in RECORD; each member must be",
                where=member.name,
            )
        elif member.name == where:
            if given != ("", ""):
                yield finding(
                    "wheel.record_itself",
                    f"RECORD says {','.join(given)[:200]!r} of {where!r}, itself; both stay empty",
                    where=where,
                )
        else:
            yield from _differences(member.name, given, _hash(member.sha256), str(member.size))


def _differences(name: str, given: tuple[str, str], digest: str, size: str) -> Iterator[Finding]:
    """What is wrong with one member's row."""
    said_digest, said_size = given
    if not said_digest:
        code = "wheel.record_no_hash"
    elif not said_digest.startswith("sha256="):
        code = "wheel.record_hash_kind"
    else:
        code = "wheel.record_hash"
    if said_digest != digest:
        yield finding(
            code, f"RECORD says {said_digest[:200]!r} of {name!r}; true is {digest!r}", where=name
        )
    if said_size != size:
        yield finding(
            "wheel.record_size",
            f"RECORD says {said_size[:200]!r} bytes of {name!r}; true is {size!r}",
            where=name,
        )


def _hash(sha256: str) -> str:
    """RECORD's way to write a digest: urlsafe base64 without padding."""
    return "sha256=" + base64.urlsafe_b64encode(bytes.fromhex(sha256)).decode().rstrip("=")
