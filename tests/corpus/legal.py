"""Wheels that look odd and keep every rule."""

import gzip
import io
import random
import zipfile

from tests.corpus.case import Case
from tests.corpus.content import INFO, TOKEN, zipped
from tests.corpus.framing import INIT, both, extra, local
from tests.corpus.framing import zipped as rewritten
from tests.corpus.zips import Zip, load
from tests.wheels import TASKSET, Fields, entry, filename, make_wheel

FOLDER = entry("demo_env/", mode=0o40755, compression=zipfile.ZIP_STORED)
LICENSE = {"licenses/LICENSE": "Apache License\n"}


def files(name: str, more: dict[str, str | bytes]) -> Case:
    return Case(name, lambda: make_wheel(files={INIT: TASKSET, **more}))


def infos(name: str, documents: dict[str, str | bytes | None]) -> Case:
    return Case(name, lambda: make_wheel(replace=documents))


def said(name: str, fields: Fields, **more: str) -> Case:
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
    said = ["Wheel-Version: 1.0", *lines, "Root-Is-Purelib: true", "Tag: py3-none-any"]
    return {"WHEEL": "".join(f"{line}\n" for line in said)}


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
    Case("licence files",
         lambda: make_wheel(metadata={"License-File": "LICENSE"}, replace=LICENSE)),
    said("licence files of older builders",
         {"Metadata-Version": "2.1", "License-Expression": None, "License": "MIT",
          "License-File": "LICENSE"}),
    said("Metadata-Version 2.5", {"Metadata-Version": "2.5", "Import-Name": "demo_env"}),
    said("Metadata-Version 1.0", {"Metadata-Version": "1.0", "License-Expression": None,
                                  "Requires-Dist": None, "Requires-Python": None,
                                  "Description-Content-Type": None, "Home-page": "UNKNOWN"}),
    said("plain text", {"Description-Content-Type": "text/plain"}, description="just text\n"),
    said("reStructuredText", {"Description-Content-Type": "text/x-rst; charset=UTF-8"},
         description="Demo\n====\n\nSay *it*.\n"),
    said("a flavour of Markdown",
         {"Description-Content-Type": "text/markdown; charset=UTF-8; variant=GFM"}),
    said("no type of the README", {"Description-Content-Type": None}),
    said("no README", {"Description-Content-Type": None}, description=""),
    said("a name in another spelling", {"Name": "Demo.Env"}),
    said("a version in another spelling", {"Version": "v0.1.0"}),
    said("fields that nobody knows", {"X-Own-Field": ["one", "two"]}),
    said("markers and extras",
         {"Provides-Extra": ["fast", "all"],
          "Requires-Dist": ["verifiers[all]>=0.4,<0.5 ; python_version >= '3.11'",
                            "numpy (>=1.20) ; extra == 'fast'",
                            "demo-env[fast] ; extra == 'all' and sys_platform != 'win32'"]}),
    said("the whole licence in a field",
         {"License-Expression": None, "License": "MIT\n" + "        more text\n" * 2000}),
    said("300 dependencies", {"Requires-Dist": [f"lib-{number}>=1" for number in range(300)]}),
    said("many links", {"Project-URL": [f"Link {n}, https://example.com/{n}" for n in range(30)]}),
    said("an author in Unicode", {"Author-email": '"Åsa Öberg" <asa@example.com>'}),
    version("1!2.0"), version("0.1.0.post1"), version("0.1.0.dev20260101"), version("1.0rc2"),
    version("2026.11.21.1"), version("0"),
    tagged("py2.py3-none-any", "py2-none-any", "py3-none-any"), tagged("py311-none-any"),
    Case("a name like a library's", lambda: make_wheel("requests", files={"requests.py": TASKSET}),
         filename=filename("requests")),
]  # fmt: skip
