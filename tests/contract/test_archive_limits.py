"""Limits are enforced and named, and nothing takes more memory or time than they allow."""

import io
import random
import time
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from envyard.contract import archive, checks, wheel
from envyard.contract.codes import CODES
from envyard.contract.headers import Unreadable
from envyard.contract.inflate import CHUNK, contents
from tests.corpus import BAD
from tests.corpus.case import Case
from tests.corpus.content import SECRET, TOKEN
from tests.corpus.zips import load, member
from tests.wheels import TASKSET, entry, filename, make_wheel

INIT = "demo_env/__init__.py"
MIB = 1 << 20


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"packed": 100}, "wheel.too_large"),
        ({"members": 3}, "wheel.too_many_members"),
        ({"expanded": 1000}, "wheel.expands_too_much"),
        ({"ratio_floor": 0, "ratio": 1}, "wheel.packs_too_well"),
        ({"metadata": 100}, "metadata.too_large"),
        ({"record": 100}, "wheel.record_too_large"),
        ({"document": 10}, "wheel.no_wheel_file"),
    ],
)
def test_each_limit_is_enforced_and_named(limits: dict[str, int], code: str) -> None:
    wordy = make_wheel(description="word " * 1000)
    [finding] = checks.run_all(
        io.BytesIO(wordy), filename=filename(), limits=replace(wheel.LIMITS, **limits)
    )
    assert finding.code == code
    assert "limit is" in finding.message


def lying(declared: int, real: int) -> bytes:
    """A wheel with a member that inflates to `real` zeros but declares another size."""
    built = load(make_wheel())
    built.parts.append(member("demo_env/zeros.bin", bytes(real)))
    built.parts[-1].both(size=declared)
    return built.dump()


def peak(data: bytes, limits: wheel.Limits = wheel.LIMITS) -> int:
    """The most bytes that reading took at a time."""
    file = io.BytesIO(data)
    tracemalloc.start()
    checks.run_all(file, filename=filename(), limits=limits)
    maximum = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return maximum


@pytest.mark.slow
def test_a_bomb_that_hides_its_size_is_refused_in_little_memory() -> None:
    assert peak(lying(1000, 200 * MIB)) < 4 * MIB


@pytest.mark.parametrize("case", [case for case in BAD if "a bomb in" in case.name], ids=str)
def test_a_bomb_inside_a_member_is_refused_in_little_memory(case: Case) -> None:
    assert peak(case.build(), case.limits) < 12 * MIB


def test_contents_never_yields_more_than_declared() -> None:
    file = io.BytesIO(lying(10, MIB))
    zeros = archive.entries(file, max_members=10)[-1]
    with pytest.raises(Unreadable, match="declares 10 bytes but holds more"):
        next(contents(file, zeros))


def test_contents_yields_small_pieces() -> None:
    data = make_wheel(files={INIT: TASKSET, "demo_env/zeros.bin": bytes(MIB)})
    file = io.BytesIO(data)
    for item in archive.entries(file, max_members=10):
        assert all(len(piece) <= CHUNK for piece in contents(file, item))


def test_a_large_wheel_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    noise = random.Random(7).randbytes(30 * MIB)
    path = tmp_path / filename()
    path.write_bytes(make_wheel(files={INIT: TASKSET, "demo_env/noise.bin": noise},
                                compression=zipfile.ZIP_STORED))  # fmt: skip
    tracemalloc.start()
    assert checks.run_all(path) == []
    maximum = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert maximum < 4 * MIB


def test_a_small_wheel_is_checked_in_a_few_milliseconds() -> None:
    noise = random.Random(7).randbytes(100_000)
    file = io.BytesIO(make_wheel(files={INIT: TASKSET, "demo_env/noise.bin": noise}))
    times = []
    for _ in range(5):
        start = time.perf_counter()
        assert checks.run_all(file, filename=filename()) == []
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05


def test_checks_limit_the_findings_of_a_wheel_with_thousands_of_faults() -> None:
    files = {f"../{number}.py": "" for number in range(1000)}
    findings = checks.run_all(io.BytesIO(make_wheel(files=files)), filename=filename())
    assert 0 < len(findings) <= 5 * checks.MAX_FINDINGS_A_CHECK


def test_every_finding_fits_the_columns_that_keep_it() -> None:
    long = "b" * 250
    files = {f"../{long}": "", f"c/{long}": "", f"c/{long.upper()}": ""}
    wild = make_wheel(files=files, record={"more": "x" * 5000 + ",a,1"})
    for finding in checks.run_all(io.BytesIO(wild), filename=filename()):
        assert finding.code in CODES
        assert len(finding.where) <= 300
        assert "\0" not in finding.message


def test_findings_show_only_the_public_part_of_a_token() -> None:
    data = make_wheel(files={INIT: TASKSET, "demo_env/.env": TOKEN})
    read = wheel.read(io.BytesIO(data), filename=filename())
    assert [leak.text for leak in read.leaks] == [TOKEN]
    assert SECRET not in repr(read)
    assert SECRET not in repr(checks.run(read))


@pytest.mark.parametrize("at", [65_500, 65_535, 65_536, 131_000])
def test_a_token_across_two_pieces_is_found(at: int) -> None:
    text = b"\0" * at + TOKEN.encode() + b"\0" * 100
    info = entry("demo_env/a", compression=zipfile.ZIP_STORED)
    data = make_wheel(files={INIT: TASKSET}, extra=[(info, text)])
    findings = checks.run_all(io.BytesIO(data), filename=filename())
    assert "wheel.contains_token" in [finding.code for finding in findings]
