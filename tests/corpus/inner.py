"""Wheels with archives, tokens and pickles inside their members."""

import bz2
import gzip
import io
import lzma
import pickle
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from tests.corpus.case import Case
from tests.corpus.content import TOKEN, ZEROS, files, nested, zipped

SECRET_TEXT = f"HUB_TOKEN={TOKEN}\n"


class Calls:
    """Pickles as a call of what is given."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self._call = function, arguments

    def __reduce__(self) -> Any:
        return self._call


def tarred(names: dict[str, bytes], mode: str = "w") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, data in names.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def sparse_tar(size: int) -> bytes:
    """GNU tar's header of a sparse file of that size, of which nothing is stored."""
    info = tarfile.TarInfo("sparse")
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    block[156:157] = b"S"
    block[483:495] = f"{size:011o}\0".encode()
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block[:512]):06o}\0 ".encode()
    return bytes(block) + bytes(1024)


def pax_sparse_tar(size: int) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("sparse")
        info.pax_headers = {"GNU.sparse.realsize": str(size), "GNU.sparse.major": "1"}
        archive.addfile(info)
    return file.getvalue()


def zstd_bomb(blocks: int) -> bytes:
    """A frame of blocks that each repeat one byte 128 KiB times."""
    header = b"\x28\xb5\x2f\xfd\x00\x58"
    block = (1 << 1 | (1 << 17) << 3).to_bytes(3, "little") + b"\0"
    return header + block * blocks + b"\1\0\0"


def numpy_objects(content: bytes) -> bytes:
    header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
    header = header.ljust(117) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + content


def secret(name: str, member: str, data: Callable[[], bytes]) -> Case:
    return Case(name, lambda: files("", {member: data()}, "").build(), "wheel.contains_token",
                (member, "hub_PubL1c99..."))  # fmt: skip


def runs(name: str, data: bytes, *words: str, member: str = "demo_env/a.pkl") -> Case:
    return files(name, {member: data}, "wheel.pickle_runs_code", *words)


def opaque(name: str, start: bytes) -> Case:
    return files(f"an archive of {name}", {"demo_env/data.bin": start + bytes(600)},
                 "wheel.opaque_archive", "cannot examine")  # fmt: skip


def bomb(name: str, member: str, data: Callable[[], bytes]) -> Case:
    return nested(f"a bomb in {name}", member, data, "wheel.nested_bomb", "limit")


def locked_zip() -> bytes:
    """A zip whose file needs a password, by its flags."""
    data = bytearray(stored_zip({"grader.py": b"x = 1"}))
    for at in (data.find(b"PK\3\4") + 6, data.find(b"PK\1\2") + 8):
        data[at] |= 1
    return bytes(data)


def stored_zip(names: dict[str, bytes]) -> bytes:
    """A zip as PyTorch writes it: stored, with sizes behind the data."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    file = Pipe()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, data in names.items():
            archive.writestr(name, data)
    return file.getvalue()


SYSTEM = b"cos\nsystem\n(S'id'\ntR."
ESCAPED = b"\x80\x04S'o\\x73'\nS'system'\n\x93\x8c\x02id\x85R."
MIXED = b"\x80\x04\x8c\x02osq\x00q\x00\x94\x8c\x06systemh\x00h\x01\x93\x8c\x02id\x85R."
COMPUTED = b"\x80\x04\x8c\x02os2\x93\x8c\x02id\x85R."
EXTENSION = b"\x80\x02\x82\x01\x8c\x02id\x85R."
BROKEN = b"\x80\x02cos\nsystem\n\x8c\x02id\x85R\xff"
EVIL = pickle.dumps(Calls(eval, "1"))

BAD = [
    bomb("a zip behind a script", "demo_env/run.bin",
         lambda: b"#!/bin/sh\n" + zipped({"z": ZEROS})),
    bomb("a zip before 1,000 other bytes", "demo_env/run.bin",
         lambda: zipped({"z": ZEROS}) + bytes(1000)),
    bomb("gzip in gzip", "demo_env/a.bin",
         lambda: gzip.compress(gzip.compress(ZEROS, mtime=0), mtime=0)),
    bomb("gzip in a zip under another name", "demo_env/a.zip",
         lambda: zipped({"a.bin": gzip.compress(ZEROS, mtime=0)})),
    bomb("gzip in a tar under another name", "demo_env/a.tar",
         lambda: tarred({"a.bin": gzip.compress(ZEROS, mtime=0)})),
    bomb("a .lzma file", "demo_env/a.lzma", lambda: lzma.compress(ZEROS, lzma.FORMAT_ALONE)),
    bomb("a .lzma file under another name", "demo_env/a.bin",
         lambda: lzma.compress(ZEROS, lzma.FORMAT_ALONE)),
    bomb("zlib data", "demo_env/a.z.bin", lambda: zlib.compress(ZEROS)),
    bomb("Zstandard", "demo_env/a.zst", lambda: zstd_bomb(64)),
    bomb("Zstandard under another name", "demo_env/a.bin", lambda: zstd_bomb(64)),
    bomb("a gzipped tar", "demo_env/a.tgz", lambda: tarred({"z": ZEROS}, "w:gz")),
    bomb("a sparse file of GNU tar", "demo_env/a.tar", lambda: sparse_tar(1 << 32)),
    bomb("a sparse file of a pax header", "demo_env/a.tar", lambda: pax_sparse_tar(1 << 40)),
    bomb("a sparse file of a gzipped tar", "demo_env/a.tgz",
         lambda: gzip.compress(sparse_tar(1 << 32), mtime=0)),
    bomb("bzip2 inside a gzip stream", "demo_env/a.gz",
         lambda: gzip.compress(bz2.compress(ZEROS), mtime=0)),
    bomb("xz inside a document of Office", "demo_env/a.docx",
         lambda: zipped({"word/x.bin": lzma.compress(ZEROS)})),
    nested("a zip in a tar", "demo_env/a.tar", lambda: tarred({"b.zip": zipped({"c": b""})}),
           "wheel.nested_archive", "b.zip", "once"),
    nested("a tar in a zip", "demo_env/a.zip", lambda: zipped({"b.tar.gz": b""}),
           "wheel.nested_archive", "b.tar.gz", "once"),
    nested("a zip behind bytes in gzip", "demo_env/a.gz",
           lambda: gzip.compress(b"x" * 600 + zipped({"c": b"d"}), mtime=0),
           "wheel.nested_archive", "once"),
    nested("five levels of gzip", "demo_env/a.gz",
           lambda: gzip.compress(gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"a"))))),
           "wheel.nested_archive", "3 levels deep"),
    nested("a zip in a zip behind a prefix", "demo_env/a.bin",
           lambda: b"x" + zipped({"b.zip": zipped({"c": b""})}), "wheel.nested_archive", "b.zip"),
    opaque("7-Zip", b"7z\xbc\xaf\x27\x1c"), opaque("RAR", b"Rar!\x1a\x07\x01\x00"),
    opaque("LZ4", b"\x04\x22\x4d\x18"), opaque("lzip", b"LZIP\x01"),
    nested("a zip with a password", "demo_env/grader.bin", locked_zip, "wheel.opaque_archive",
           "password"),
    opaque("Cabinet", b"MSCF\0\0\0\0"), opaque("Debian", b"!<arch>\n"),
    secret("a token in a zip", "demo_env/a.zip", lambda: zipped({"b.txt": SECRET_TEXT.encode()})),
    secret("a token in a zip behind a prefix", "demo_env/a.bin",
           lambda: b"x" + zipped({"b.txt": SECRET_TEXT.encode()})),
    secret("a token in gzip", "demo_env/a.gz",
           lambda: gzip.compress(SECRET_TEXT.encode(), mtime=0)),
    secret("a token in bzip2", "demo_env/a.bz2", lambda: bz2.compress(SECRET_TEXT.encode())),
    secret("a token in xz", "demo_env/a.xz", lambda: lzma.compress(SECRET_TEXT.encode())),
    secret("a token in zlib data", "demo_env/a.z1", lambda: zlib.compress(SECRET_TEXT.encode())),
    secret("a token in a gzipped tar", "demo_env/a.tgz",
           lambda: tarred({"b.txt": SECRET_TEXT.encode()}, "w:gz")),
    secret("a token in a document in a zip", "demo_env/a.zip",
           lambda: zipped({"b.docx": zipped({"c.xml": SECRET_TEXT.encode()})})),
    secret("a token in UTF-16", "demo_env/a.txt", lambda: SECRET_TEXT.encode("utf-16")),
    secret("a token in UTF-16 of the other order", "demo_env/a.txt",
           lambda: SECRET_TEXT.encode("utf-16-be")),
    secret("a token in UTF-32", "demo_env/a.txt", lambda: SECRET_TEXT.encode("utf-32")),
    secret("a token in UTF-16 at the end of a file", "demo_env/a.txt",
           lambda: TOKEN.encode("utf-16-be")),
    secret("a token in UTF-16 inside a zip", "demo_env/a.zip",
           lambda: zipped({"b.txt": SECRET_TEXT.encode("utf-16")})),
    runs("a pickle that calls eval", EVIL, "builtins.eval"),
    runs("a pickle that calls eval under another name", EVIL, "builtins.eval",
         member="demo_env/data.bin"),
    runs("a pickle of the oldest protocol", SYSTEM, "os.system"),
    runs("a pickle of the oldest protocol under another name", SYSTEM, "os.system",
         member="demo_env/data.bin"),
    runs("a pickle of protocol 2", pickle.dumps(Calls(eval, "1"), 2), "eval"),
    runs("a pickle whose memo is mixed", MIXED, "computed"),
    runs("a pickle that computes a name", COMPUTED, "computed"),
    runs("a pickle with escapes in a name", ESCAPED, "computed"),
    runs("a pickle with an extension code", EXTENSION, "computed"),
    runs("a pickle that breaks off behind its call", BROKEN, "os.system"),
    runs("a second pickle in a file", pickle.dumps([1]) + EVIL, "builtins.eval"),
    runs("a pickle in a saved model", zipped({"archive/data.pkl": EVIL}), "builtins.eval",
         member="demo_env/model.pt"),
    runs("a pickle in an array of objects", numpy_objects(EVIL), "builtins.eval",
         member="demo_env/a.npy"),
    runs("a pickle in arrays of objects", zipped({"a.npy": numpy_objects(EVIL)}), "builtins.eval",
         member="demo_env/a.npz"),
    runs("a compressed pickle", zlib.compress(EVIL), "builtins.eval", member="demo_env/a.joblib"),
    runs("a pickle in gzip", gzip.compress(EVIL, mtime=0), "builtins.eval",
         member="demo_env/a.pkl.gz"),
]  # fmt: skip
