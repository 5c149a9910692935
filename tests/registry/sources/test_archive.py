"""Source archives are read within bounds, and only where they are plain."""

import gzip
import tarfile
import time
from pathlib import Path

import pytest

from registry.errors import HubError
from registry.sources import archive
from tests.registry.sources.archives import FILES, header, make_archive, member, raw


def written(folder: Path, data: bytes) -> Path:
    path = folder / "source.tar.gz"
    path.write_bytes(data)
    return path


def test_files_are_listed_and_read_up_to_a_limit(tmp_path: Path) -> None:
    path = written(tmp_path, make_archive())
    assert [(m.path, m.size) for m in archive.check(path)] == [
        (name, len(data)) for name, data in FILES.items()
    ]
    assert archive.read_member(path, "demo_env/__init__.py", 4) == ([], (b"WORD", 15))
    assert archive.read_member(path, "demo_env", 4) == (archive.check(path), None)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (make_archive({"../evil.py": b"x"}), "leaves the archive"),
        (make_archive({"/etc/passwd": b"x"}), "leaves the archive"),
        (make_archive({"a/./b": b"x"}), "leaves the archive"),
        (make_archive({"a\\..\\b": b"x"}), "odd name"),
        (make_archive({"a\nb": b"x"}), "odd name"),
        (make_archive({"x" * 301: b""}), "odd name"),
        (make_archive(extra=[member("l", tarfile.SYMTYPE, linkname="/etc")]), "link or a special"),
        (make_archive(extra=[member("h", tarfile.LNKTYPE, linkname="b")]), "link or a special"),
        (make_archive(extra=[member("d", tarfile.CHRTYPE)]), "link or a special"),
        (make_archive(extra=[member("f", tarfile.FIFOTYPE)]), "link or a special"),
        (make_archive({str(n): b"" for n in range(10_001)}), "more than 10000 members"),
        (raw(header("a", b"77777777777")), "unpacked"),
        (raw(header("a", b"\xff" * 12) * 3), "refused"),
        (raw(header("pax", b"00400000000", b"x") + bytes(1 << 20)), "header in it is too long"),
        (raw(header("long", b"00400000000", b"L") + bytes(1 << 20)), "header in it is too long"),
        (b"not an archive", "not a readable"),
        (gzip.compress(b"not an archive" * 100), "not a readable"),
        (make_archive()[:-30], "not a readable"),
        (b"", "not a readable"),
    ],
)
def test_hostile_archives_are_refused(tmp_path: Path, data: bytes, why: str) -> None:
    with pytest.raises(HubError, match=why) as refused:
        archive.check(written(tmp_path, data))
    assert refused.value.code == "source.unreadable"


def test_a_bomb_ends_at_the_limit_and_not_in_memory(tmp_path: Path) -> None:
    block = header("zeros", b"%011o" % (300 << 20))
    path = written(tmp_path, gzip.compress(block + bytes(300 << 20), compresslevel=1))
    assert path.stat().st_size < 3 << 20
    begun = time.monotonic()
    with pytest.raises(HubError, match="unpacked"):
        archive.check(path)
    assert time.monotonic() - begun < 5
