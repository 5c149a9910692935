"""Wheels that look odd and keep every rule."""

import base64
import bz2
import collections
import gzip
import hashlib
import io
import lzma
import pickle
import random
import zipfile

from tests.corpus.case import Case
from tests.corpus.content import INFO, TOKEN, zipped
from tests.corpus.framing import INIT, both, extra, local
from tests.corpus.framing import zipped as rewritten
from tests.corpus.inner import numpy_objects, stored_zip, tarred, zstd_bomb
from tests.corpus.zips import Zip, load
from tests.wheels import TASKSET, Fields, entry, filename, make_wheel

FOLDER = entry("demo_env/", mode=0o40755, compression=zipfile.ZIP_STORED)
LICENSE = {"licenses/LICENSE": "Apache License\n"}


def files(name: str, more: dict[str, str | bytes]) -> Case:
    return Case(name, lambda: make_wheel(files={INIT: TASKSET, **more}))


def infos(name: str, documents: dict[str, str | bytes | None]) -> Case:
    return Case(name, lambda: make_wheel(replace=documents))


def meta(name: str, fields: Fields, **more: str) -> Case:
    return Case(name, lambda: make_wheel(metadata=fields, **more))


def version(version: str) -> Case:
    return Case(f"version {version}", lambda: make_wheel(version=version),
                filename=filename(version=version))  # fmt: skip


def mode(name: str, mode: int) -> Case:
    def set_modes(archive: Zip) -> None:
        for part in archive.parts:
            part.mode = mode

    return Case(name, rewritten(set_modes))


def tagged(tag: str, *lines: str) -> Case:
    return Case(f"tag {tag}", lambda: make_wheel(tag="\nTag: ".join(lines or (tag,))),
                filename=filename(tag=tag))  # fmt: skip


def record_reordered() -> bytes:
    archive = zipfile.ZipFile(io.BytesIO(make_wheel()))
    lines = archive.read(f"{INFO}/RECORD").decode().splitlines()
    return make_wheel(replace={"RECORD": "".join(f"{line}\r\n" for line in reversed(lines))})


def record_of(algorithm: str) -> bytes:
    archive = zipfile.ZipFile(io.BytesIO(make_wheel()))
    rows = [line.split(",") for line in archive.read(f"{INFO}/RECORD").decode().splitlines()]
    for row in rows:
        if row[1]:
            digest = hashlib.new(algorithm, archive.read(row[0])).digest()
            encoded = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            row[1] = f"{algorithm}={encoded}"
    return make_wheel(replace={"RECORD": "".join(",".join(row) + "\n" for row in rows)})


def record_quoted() -> bytes:
    archive = zipfile.ZipFile(io.BytesIO(make_wheel()))
    rows = [line.split(",") for line in archive.read(f"{INFO}/RECORD").decode().splitlines()]
    return make_wheel(replace={"RECORD": "".join('"' + '","'.join(row) + '"\n' for row in rows)})


def members_first_to_last() -> bytes:
    """.dist-info in front, and the directory in another order than the members."""
    archive = load(make_wheel())
    archive.parts.reverse()
    return archive.dump()


def wheel_file(*lines: str) -> dict[str, str | bytes | None]:
    headers = ["Wheel-Version: 1.0", *lines, "Root-Is-Purelib: true", "Tag: py3-none-any"]
    return {"WHEEL": "".join(f"{line}\n" for line in headers)}


GROUPS = """[console_scripts]
# run it
demo-env = demo_env:main
demo-env-python = demo_env:main
pythonic=demo_env:Main.run
uvula = demo_env:main [fast]\t

[gui_scripts]
demo-window = demo_env.sub:main

[gymnasium.envs]
demo = demo_env:register
[demo.plug-ins]
A name with spaces = demo_env
"""
COLLECTIONS = pickle.dumps(collections.OrderedDict(a=1))
GOOD = [
    Case("a plain wheel", make_wheel),
    Case("stored members", lambda: make_wheel(compression=zipfile.ZIP_STORED)),
    Case("an entry for a folder", lambda: make_wheel(extra=[(FOLDER, b"")])),
    Case(".dist-info in front", members_first_to_last),
    Case("a time stamp in an extra field", rewritten(both(extra=extra(0x5455, b"\1abcd")))),
    Case("owner and group in an extra field",
         rewritten(both(extra=extra(0x7875, b"\1\4\0\0\0\0\4\0\0\0\0")))),
    Case("an extra field in the local header alone",
         rewritten(local(extra=extra(0x5455, b"\1abcd")))),
    Case("padding in an extra field", rewritten(local(extra=extra(0xD935, b"\4\0\0\0")))),
    Case("another version of zip", rewritten(both(needs=10))),
    Case("the version of zip that has UTF-8 names", rewritten(both(needs=63))),
    Case("flags for strong compression", rewritten(both(flags=2))),
    Case("flags for fast compression", rewritten(both(flags=6))),
    Case("ASCII names marked as UTF-8", rewritten(both(flags=0x800))),
    mode("no modes at all", 0),
    mode("executable files", 0o100755),
    mode("files that only their owner reads", 0o100600),
    mode("modes without a kind", 0o644),
    files("an empty file", {"demo_env/py.typed": ""}),
    files("only white space in a file", {"demo_env/blank.txt": "\n\n"}),
    files("names in Unicode", {"demo_env/データ/größe.txt": "x"}),
    files("a comma and a quote in a name", {"demo_env/it's, a.txt": "x"}),
    files("spaces in a name", {"demo_env/read me.txt": "x"}),
    files("a long name", {f"demo_env/{'a' * 240}.txt": "x"}),
    files("many folders", {"demo_env/" + "a/" * 30 + "b.py": ""}),
    files("dots in names", {"demo_env/.hidden": "", "demo_env/a..b": "", "demo_env/...c": ""}),
    files("names like devices of Windows", {"demo_env/console.py": "", "demo_env/com.py": ""}),
    files("a saved model", {"demo_env/weights.pth": b"\0\1"}),
    files("modules named like Python's in the package",
          {"demo_env/json.py": "", "demo_env/numpy.py": ""}),
    files("another top-level package", {"demo_env_tools/__init__.py": ""}),
    files("a namespace package", {"demo_space/part/module.py": ""}),
    files("a top-level module", {"demo_helper.py": ""}),
    files("type stubs", {"demo_env/__init__.pyi": ""}),
    files("data of one kind in a zip", {"demo_env/a.zip": zipped({"a.txt": b"a" * 1000})}),
    files("data in gzip", {"demo_env/a.jsonl.gz": gzip.compress(b"{}\n" * 1000, mtime=0)}),
    files("noise", {"demo_env/noise.bin": random.Random(7).randbytes(200_000)}),
    files("a gzip file that is none", {"demo_env/a.gz": b"\x1f\x8b\x08 not really"}),
    files("an end record in a member", {"demo_env/end.bin": b"PK\5\6" + bytes(18)}),
    files("another wheel in a member", {"demo_env/other.bin": b"x" + make_wheel("other-env")}),
    files("words that look like a token", {"demo_env/a.txt": TOKEN[:-1] + "_"}),
    infos("entry points",
          {"entry_points.txt": "[console_scripts]\ndemo-env = demo_env:main\n"
                               "[demo.plugins]\nall = demo_env.sub : Main.run [extra]\n"}),
    infos("other files in .dist-info", {"top_level.txt": "demo_env\n", "zip-safe": "\n",
                                       "sboms/demo.cdx.json": "{}", "REUSE.toml": ""}),
    infos("another tool's WHEEL", wheel_file("Generator: bdist_wheel (0.45.1)")),
    infos("a WHEEL with CRLF and an unknown field",
          {"WHEEL": "Wheel-Version: 1.9\r\nX-Tool: yes\r\nRoot-Is-Purelib: True\r\n"
                    "Tag: py3-none-any\r\n\r\n"}),
    Case("RECORD backwards and with CRLF", record_reordered),
    Case("RECORD all in quotes", record_quoted),
    Case("RECORD with sha384", lambda: record_of("sha384")),
    Case("RECORD with sha512", lambda: record_of("sha512")),
    files("a wide table in Python source", {"demo_env/t.py": "T = [1," + " " * 200 + "2]\n"
          + " " * 400 + "# deep\n"}),
    Case("licence files",
         lambda: make_wheel(metadata={"License-File": "LICENSE"}, replace=LICENSE)),
    meta("licence files of older builders",
         {"Metadata-Version": "2.1", "License-Expression": None, "License": "MIT",
          "License-File": "LICENSE"}),
    meta("Metadata-Version 2.5", {"Metadata-Version": "2.5", "Import-Name": "demo_env"}),
    meta("Metadata-Version 1.0", {"Metadata-Version": "1.0", "License-Expression": None,
                                  "Requires-Dist": None, "Requires-Python": None,
                                  "Description-Content-Type": None, "Home-page": "UNKNOWN"}),
    meta("plain text", {"Description-Content-Type": "text/plain"}, description="just text\n"),
    meta("reStructuredText", {"Description-Content-Type": "text/x-rst; charset=UTF-8"},
         description="Demo\n====\n\nSay *it*.\n"),
    meta("a flavour of Markdown",
         {"Description-Content-Type": "text/markdown; charset=UTF-8; variant=GFM"}),
    meta("no type of the README", {"Description-Content-Type": None}),
    meta("no README", {"Description-Content-Type": None}, description=""),
    meta("a name in another spelling", {"Name": "Demo.Env"}),
    meta("a version in another spelling", {"Version": "v0.1.0"}),
    meta("fields that nobody knows", {"X-Own-Field": ["one", "two"]}),
    meta("markers and extras",
         {"Provides-Extra": ["fast", "all"],
          "Requires-Dist": ["verifiers[all]>=0.4,<0.5 ; python_version >= '3.11'",
                            "numpy (>=1.20) ; extra == 'fast'",
                            "demo-env[fast] ; extra == 'all' and sys_platform != 'win32'"]}),
    meta("the whole licence in a field",
         {"License-Expression": None, "License": "MIT\n" + "        more text\n" * 2000}),
    meta("300 dependencies", {"Requires-Dist": [f"lib-{number}>=1" for number in range(300)]}),
    meta("many links", {"Project-URL": [f"Link {n}, https://example.com/{n}" for n in range(30)]}),
    meta("an author in Unicode", {"Author-email": '"Åsa Öberg" <asa@example.com>'}),
    version("1!2.0"), version("0.1.0.post1"), version("0.1.0.dev20260101"), version("1.0rc2"),
    version("2026.11.21.1"), version("0"),
    tagged("py2.py3-none-any", "py2-none-any", "py3-none-any"), tagged("py311-none-any"),
    Case("a name like a library's", lambda: make_wheel("requests", files={"requests.py": TASKSET}),
         filename=filename("requests")),
    infos("scripts, groups and comments", {"entry_points.txt": GROUPS}),
    infos("an entry_points.txt with CRLF", {"entry_points.txt": GROUPS.replace("\n", "\r\n")}),
    infos("an empty entry_points.txt", {"entry_points.txt": "\n"}),
    infos("what older back-ends left in .dist-info",
          {"namespace_packages.txt": "\n", "dependency_links.txt": "\n", "pbr.json": "{}",
           "metadata.json": "{}", "DESCRIPTION.rst": "x", "LICENSE.txt": "x", "COPYING": "x",
           "AUTHORS.md": "x", "NOTICE": "x", "LICENCE.rst": "x", "license_files/a/b": "x"}),
    Case("a licence file of its own name", lambda: make_wheel(
            metadata={"Metadata-Version": "2.1", "License-Expression": None,
                      "License-File": "My terms.txt"}, replace={"My terms.txt": "x"})),
    files("plain files at the top level",
          {"pyproject.toml": "", "README.md": "", "data.jsonl": "{}\n", "LICENSE": "",
           "download.sh": "", "setup.cfg": "", ".gitignore": "", "Dockerfile": ""}),
    files("folders that many wheels have", {"tests/__init__.py": "", "tools/x.py": "",
                                            "data/train.csv": ""}),
    files("stubs beside a package", {"demo_env-stubs/__init__.pyi": ""}),
    files("a module in another alphabet", {"größe.py": ""}),
    files("startup names inside a package",
          {"demo_env/sitecustomize.py": "", "demo_env/x.pth": "", "demo_env/x.start": "",
           "demo_env/other.egg-info/PKG-INFO": "", "demo_env/org/python.py": "",
           "demo_env/a.pyw": "", "demo_env/data/x.data/y": ""}),
    files("names that begin as others do", {"javascript_env.py": "", "organisation.py": "",
                                            "numpyro_env/x.py": "", "sitecustomizer.py": ""}),
    files("tilde and digits in a name", {"demo_env/backup~1.old.txt": "", "demo_env/a~b": ""}),
    files("data in a gzipped tar", {"demo_env/a.tar.gz": tarred({"a/b.txt": b"x" * 900}, "w:gz")}),
    files("data in a tar", {"demo_env/a.tar": tarred({"a/b.txt": b"x" * 900, "c": b""})}),
    files("data in xz and bzip2", {"demo_env/a.xz": lzma.compress(b"a" * 999),
                                   "demo_env/a.bz2": bz2.compress(b"a" * 999),
                                   "demo_env/a.lzma": lzma.compress(b"a", lzma.FORMAT_ALONE)}),
    files("data in Zstandard", {"demo_env/a.jsonl.zst": zstd_bomb(3)}),
    files("documents of Office in a zip, with documents in them",
          {"demo_env/a.zip": zipped({"a.pptx": zipped({"b.xlsx": zipped({"c.xml": b"<a/>"})})})}),
    files("a saved model in a zip that was streamed",
          {"demo_env/a.pt": stored_zip({"archive/data.pkl": COLLECTIONS, "archive/data/0": b"1"})}),
    files("pickles of plain values",
          {"demo_env/a.pkl": pickle.dumps({"a": [1, 2.0, b"x", "y", None]}),
           "demo_env/b.pkl": pickle.dumps([1], 0), "demo_env/c.npy": numpy_objects(
               pickle.dumps(["a"]))}),
    files("pickles of collections", {"demo_env/a.pkl": COLLECTIONS}),
    files("files that are called pickles", {"demo_env/a.p": "text", "demo_env/b.pkl": b"",
                                            "demo_env/c.pt": b"\x80\x04broken"}),
    files("lists of words", {"demo_env/words.txt": "cat\ndog\ni\n.\n(lp0\n",
                             "demo_env/more.txt": "cos\nsin\ntan\n.\n"}),
    files("text in UTF-16", {"demo_env/a.txt": "hub_ and more\n".encode("utf-16")}),
    files("an equation", {"demo_env/a.txt": "x^2 + 1 = 0\n", "demo_env/b.txt": "x\x9c"}),
    files("bytes that begin like archives",
          {"demo_env/a.bin": b"BZh but words", "demo_env/b.bin": b"PK\3\4 but words",
           "demo_env/c.bin": b"\x28\xb5\x2f\xfd", "demo_env/d.bin": b"]\0\0\x80\0" + bytes(20)}),
    files("source in old encodings",
          {"demo_env/a.py": "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"),
           "demo_env/b.py": "#!/usr/bin/python3\n# coding=utf8\n",
           "demo_env/c.py": b"\xef\xbb\xbfx = 1\r\n",
           "demo_env/d.py": "# coding: euc-jp\n", "demo_env/e.py": "x = 'א\u200f'\n"}),
    files("source whose encoding is written as Emacs does",
          {"demo_env/a.py": "# -*- coding: utf-8-unix -*-\n",
           "demo_env/b.py": "#!/usr/bin/python3\n# -*- coding: Latin_1-dos -*-\n",
           "demo_env/c.py": "\n# coding: ISO-8859-1-unix\n"}),
    files("the word coding where Python looks for no encoding",
          {"demo_env/a.py": '"""Text.\n# coding: see below\n"""\n',
           "demo_env/b.py": "x = 1\n# coding: none-such\n"}),
    files("pickles of exceptions",
          {"demo_env/a.pkl": pickle.dumps([IndexError("a"), StopIteration(), OSError(2, "b")])}),
    files("a module beside a folder of data", {"demo_env/a.py": "", "demo_env/a/x.csv": ""}),
    infos("a top_level.txt with folders", {"top_level.txt": "demo_env\n\n"}),
    meta("emoji and other alphabets in Summary",
         {"Summary": "⚙️ 👩‍💻 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f "
                     "1️⃣ می‌خواهم Ünï 葛\U000e0100 — “x”\u00a0!"}),
    meta("tabs in fields", {"Author": "alice\tbob", "Requires-Dist": "verifiers\t>=0.4"}),
    meta("an author in Hebrew", {"Author": "אליס"}),
    meta("long keywords over several lines", {"Keywords": "one,\n two"}),
    meta("a licence text with page breaks",
         {"License-Expression": None, "License": "MIT\n        a\f\n        b"}),
    Case("marks of direction and a byte order mark in the README",
         lambda: make_wheel(description="\ufeff# שלום\u200f\u2067x\u2069\n\fpage\x1b[0m\n")),
    meta("extras of its own",
         {"Provides-Extra": ["a", "all"], "Requires-Dist": ["x; extra == 'a'",
                                                            "demo-env[a]; extra == 'all'"]}),
    meta("an Import-Namespace", {"Metadata-Version": "2.5", "Import-Name": ["demo_env"],
                                 "Import-Namespace": "demo_env"}),
    meta("an Import-Name that is private",
         {"Metadata-Version": "2.5", "Import-Name": ["demo_env ; private"]}),
    meta("links of many kinds",
         {"Project-URL": ["A, https://example.com:8443/a?b=c&d=(e)#f", "B, http://[::1]/",
                          "C, HTTPS://EXAMPLE.COM", "D, https://例え.jp/ü"]}),
    meta("a Requires-Python that excludes", {"Requires-Python": ">=3.11,!=3.12.1,<4"}),
]  # fmt: skip
