"""`hub check` ends in bounded time and memory, with a verdict, whatever a member holds."""

import bz2
import io
import json
import resource
import struct
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.content import TOKEN
from tests.wheels import TASKSET, write_wheel

INIT = "demo_env/__init__.py"
CPU_SECONDS, ADDRESS_SPACE = 20, 700 << 20
CLASSIC = "import verifiers as vf\n\n\ndef load_environment():\n    return vf.SingleTurnEnv()\n"


def check(wheel: Path) -> dict[str, Any]:
    """What `hub check --json` prints, in a process of its own with little time and memory."""
    done = subprocess.run(
        [sys.executable, "-m", "envyard", "check", "--offline", "--json", str(wheel)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited,
    )
    assert done.returncode in (0, 3), done.stderr[-2000:]
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def tar_header(size: bytes, kind: bytes) -> bytes:
    """A tar whose only header gives the size as written here, with a right checksum."""
    block = bytearray(tarfile.TarInfo("a.txt").tobuf(tarfile.USTAR_FORMAT))
    block[124:136], block[156:157] = size.ljust(12, b"\0"), kind
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block[:512]):06o}\0 ".encode()
    return bytes(block) + bytes(1024)


def pax_headers() -> bytes:
    """Thousands of headers, each of as many fields as 64 KiB hold."""
    info = tarfile.TarInfo("a")
    info.type, info.size = tarfile.XHDTYPE, 1 << 16
    header = info.tobuf(tarfile.USTAR_FORMAT) + b"4 =\n" * (1 << 14)
    return header * 450


def zstandard_blocks() -> bytes:
    """A Zstandard frame of ten million empty blocks."""
    return bytes.fromhex("28b52ffd0058") + bytes(30 << 20)


def bzip2_in_zip() -> bytes:
    """A zip of one member that declares ten bytes and that bzip2 expands to 700 MB."""
    packer = bz2.BZ2Compressor()
    data = b"".join(packer.compress(bytes(50 << 20)) for _ in range(14)) + packer.flush()
    sizes = (0, len(data), 10, 1, 0)
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 46, 0, 12, 0, 33, *sizes) + b"a"
    central = struct.pack("<4s6H3I5H2I", b"PK\1\2", 46, 46, 0, 12, 0, 33, *sizes, 0, 0, 0, 0, 0)
    end = struct.pack(
        "<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(central) + 1, len(local) + len(data), 0
    )
    return local + data + central + b"a" + end


@pytest.mark.slow
@pytest.mark.parametrize(
    "member",
    [
        lambda: tar_header(b"-1000", b"L"),
        lambda: tar_header(b"-1000", b"x"),
        lambda: tar_header(b"-1000", b"0"),
        lambda: tar_header(b"-0000000010", b"0"),
        pax_headers,
        zstandard_blocks,
        bzip2_in_zip,
    ],
    ids=["long name", "pax", "file", "few bytes", "pax fields", "zstandard blocks", "bzip2 in zip"],
)
def test_hostile_archives_are_read_in_bounded_time_and_memory(
    member: Callable[[], bytes], tmp_path: Path
) -> None:
    check(write_wheel(tmp_path, files={INIT: TASKSET, "demo_env/x.bin": member()}))


@pytest.mark.slow
def test_a_bzip2_member_of_a_zip_that_expands_beyond_its_declared_size_is_a_bomb(
    tmp_path: Path,
) -> None:
    document = check(write_wheel(tmp_path, files={INIT: TASKSET, "demo_env/x.zip": bzip2_in_zip()}))
    assert [row["code"] for row in document["findings"]] == ["wheel.nested_bomb"]


@pytest.mark.slow
def test_a_token_in_a_bzip2_member_of_a_zip_is_reported(tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.env", f"HUB_TOKEN={TOKEN}\n")
    document = check(
        write_wheel(tmp_path, files={INIT: TASKSET, "demo_env/x.zip": file.getvalue()})
    )
    assert [row["code"] for row in document["findings"]] == ["wheel.contains_token"]


@pytest.mark.slow
def test_ten_thousand_top_level_files_are_checked_in_bounded_time(tmp_path: Path) -> None:
    files = {INIT: TASKSET, **{f"row{number}.json": b"{}" for number in range(9000)}}
    assert check(write_wheel(tmp_path, files=files))["ok"]


LONG = ".".join("a" * 100_000)
DEEP = "vf" + ".a" * 1500


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        f"def f():\n    import {LONG}\n",
        f"def f():\n    from {LONG} import b\n",
        f"from {LONG[:80_000]} import {', '.join(f'b{n}' for n in range(100_000))}\n",
        f"from {LONG} import b\nclass C(b): ...\n__all__ = ['C']\n",
        f"class C({DEEP}): ...\n__all__ = ['C']\n",
        f"x = {' + '.join('1' * 1500)}\n",
        "def f(n):\n"
        + "".join(f"    {'el' * (n > 0)}if n == {n}: return {n}\n" for n in range(800)),
        f"@{DEEP}\ndef f(): ...\n",
        f"def f(a=[{'(' * 90}1{',)' * 90}]): ...\n",
    ],
    ids=[
        "import",
        "from import",
        "many names",
        "long base",
        "deep base",
        "sum",
        "elif",
        "decorator",
        "brackets",
    ],
)
def test_source_of_any_depth_or_length_gets_a_verdict(source: str, tmp_path: Path) -> None:
    files = {INIT: CLASSIC + "from demo_env import more\n", "demo_env/more.py": source}
    metadata = {"Requires-Dist": "verifiers>=0.2,<0.3.2"}
    assert check(write_wheel(tmp_path, files=files, metadata=metadata))["ok"]
