"""Wheels whose archive is sound and whose content breaks a rule."""

import bz2
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace

from envyard.contract.leaks import checksum
from envyard.contract.wheel import LIMITS
from tests.corpus.case import Case
from tests.corpus.framing import INIT
from tests.wheels import TASKSET, entry, filename, make_wheel, record_row

INFO = "demo_env-0.1.0.dist-info"
CAPITALS = f"{INFO.upper()}/x"
WRONG = "sha256=" + "A" * 43
SIZE = len(TASKSET)
# No hub ever gave these out: nobody holds the digest of a secret of sevens.
SECRET = "7" * 43
TOKEN = "hub_PubL1c99" + SECRET
TOKEN += checksum(TOKEN)
RUNNER_TOKEN = "hubr_PubL1c99" + SECRET
RUNNER_TOKEN += checksum(RUNNER_TOKEN)


def named(name: str, filename: str, code: str, *words: str) -> Case:
    return Case(name, make_wheel, code, (filename, *words), filename)


def row(name: str, rows: dict[str, str | None], code: str, *words: str) -> Case:
    return Case(name, lambda: make_wheel(record=rows), code, words)


def files(name: str, more: dict[str, str | bytes], code: str, *words: str) -> Case:
    return Case(name, lambda: make_wheel(files={INIT: TASKSET, **more}), code, (*more, *words))


def info(name: str, document: str, content: str | bytes | None, code: str, *words: str) -> Case:
    return Case(name, lambda: make_wheel(replace={document: content}), code,
                (f"{INFO}/{document}", *words))  # fmt: skip


def wheel_file(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def scripts(name: str, line: str, code: str, *words: str) -> Case:
    return Case(
        name,
        lambda: make_wheel(replace={"entry_points.txt": f"[console_scripts]\n{line}\n"}),
        code,
        words,
    )


def zipped(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(entry(name), data)
    return file.getvalue()


def nested(name: str, member: str, data: Callable[[], bytes], code: str, *words: str) -> Case:
    limits = replace(LIMITS, ratio_floor=1 << 20)
    return Case(
        name,
        lambda: make_wheel(files={INIT: TASKSET, member: data()}),
        code,
        (member, *words),
        limits=limits,
    )


def declared_zip() -> bytes:
    """A small zip that declares a member of 4,000,000,000 bytes."""
    data = bytearray(zipped({"a.bin": b"a"}))
    struct.pack_into("<I", data, data.index(b"PK\1\2") + 24, 4_000_000_000)
    return bytes(data)


def hungry_xz() -> bytes:
    """A stream of one byte that declares a dictionary of 512 MiB."""
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 12}]
    data = bytearray(lzma.compress(b"a", lzma.FORMAT_XZ, filters=filters))
    head = 12  # a block's header: its length, flags, filter, length of properties, dictionary
    end = head + (data[head] + 1) * 4 - 4
    data[head + 4] = 34  # 2 ** 29
    struct.pack_into("<I", data, end, zlib.crc32(data[head:end]))
    return bytes(data)


ZEROS = bytes(4 << 20)
EMPTY_STREAM = gzip.compress(b"", mtime=0)
BAD = [
    # the file name
    named("no file name", "", "wheel.bad_filename", "name-version-py3-none-any.whl"),
    named("three parts", "demo_env-0.1.0.whl", "wheel.bad_filename", "py3-none-any"),
    named("a file name without a version", "demo_env-x.y-py3-none-any.whl", "wheel.bad_filename"),
    named("a folder in the file name", "../demo_env-0.1.0-py3-none-any.whl", "wheel.bad_filename"),
    named("capital letters", "Demo_Env-0.1.0-py3-none-any.whl", "wheel.unnormal_filename",
          filename()),
    named("a dot in the name", "demo.env-0.1.0-py3-none-any.whl", "wheel.unnormal_filename",
          filename()),
    named("a version not in normal form", "demo_env-00.1.0-py3-none-any.whl",
          "wheel.unnormal_filename", filename()),
    named("a build number", "demo_env-0.1.0-1-py3-none-any.whl", "wheel.build_number", "1",
          "one wheel"),
    named("another environment's name", "other-0.1.0-py3-none-any.whl", "wheel.other_dist_info",
          INFO, "must be the same"),
    named("a file name of another version", "demo_env-0.2.0-py3-none-any.whl",
          "wheel.other_dist_info", INFO,
          "must be the same"),
    named("a platform that WHEEL does not name", "demo_env-0.1.0-py3-none-linux_x86_64.whl",
          "wheel.platform_tag", "linux_x86_64", "py3-none-any"),
    Case("a platform wheel", lambda: make_wheel(tag="cp311-cp311-manylinux_2_17_x86_64"),
         "wheel.platform_tag", ("cp311-cp311-manylinux_2_17_x86_64", "not py3-none-any"),
         filename(tag="cp311-cp311-manylinux_2_17_x86_64")),
    Case("a wheel for Python 2", lambda: make_wheel(tag="py2-none-any"), "wheel.platform_tag",
         ("py2-none-any",), filename(tag="py2-none-any")),
    # .dist-info
    Case("no .dist-info", lambda: make_wheel(dist_info="demo_env-0.1.0"), "wheel.no_dist_info",
         ("needs one",)),
    Case("two .dist-infos",
         lambda: make_wheel(files={INIT: TASKSET, "other-1.0.dist-info/METADATA": ""}),
         "wheel.several_dist_infos", (INFO, "other-1.0.dist-info", "one is allowed")),
    Case("a second one in capitals",
         lambda: make_wheel(files={INIT: TASKSET, CAPITALS: ""}),
         "wheel.several_dist_infos", (INFO, INFO.upper(), "one is allowed")),
    Case("another wheel's .dist-info", lambda: make_wheel(dist_info="other-0.1.0.dist-info"),
         "wheel.other_dist_info", ("other-0.1.0.dist-info", filename(), "must be the same")),
    info("no WHEEL", "WHEEL", None, "wheel.no_wheel_file", "missing"),
    info("a WHEEL that is not UTF-8", "WHEEL", b"\xff\xfe", "wheel.no_wheel_file", "UTF-8"),
    info("a huge WHEEL", "WHEEL", "X: y\n" * 20_000, "wheel.no_wheel_file", "100000", "65536"),
    info("a WHEEL of version 2", "WHEEL",
         wheel_file("Wheel-Version: 2.0", "Root-Is-Purelib: true", "Tag: py3-none-any"),
         "wheel.wheel_version", "'2.0'", "1.x"),
    info("a WHEEL without tags", "WHEEL", wheel_file("Wheel-Version: 1.0", "Root-Is-Purelib: true"),
         "wheel.tag_mismatch", "[]", "py3-none-any", "must agree"),
    info("a WHEEL with other tags", "WHEEL",
         wheel_file("Wheel-Version: 1.0", "Root-Is-Purelib: true", "Tag: cp311-abi3-linux_x86_64"),
         "wheel.tag_mismatch", "cp311-abi3-linux_x86_64", "must agree"),
    info("a WHEEL that is not pure", "WHEEL",
         wheel_file("Wheel-Version: 1.0", "Root-Is-Purelib: false", "Tag: py3-none-any"),
         "wheel.not_purelib", "'false'", "not true"),
    info("a WHEEL that is pure and not", "WHEEL",
         wheel_file("Wheel-Version: 1.0", "Root-Is-Purelib: true", "Root-Is-Purelib: false",
                    "Tag: py3-none-any"),
         "wheel.not_purelib", "'false'", "not true"),
    info("a signature", "RECORD.jws", "{}", "wheel.signature_file", "none may be shipped"),
    info("a tale of its installation", "direct_url.json", "{}", "wheel.installer_file",
         "only installers"),
    info("an installer's name", "INSTALLER", "pip\n", "wheel.installer_file", "only installers"),
    info("entry points that are no INI file", "entry_points.txt", "no section\n",
         "wheel.bad_entry_points", "line 1", "no section"),
    info("entry points twice", "entry_points.txt", "[a]\nb = c:d\nb = e:f\n",
         "wheel.bad_entry_points", "occurs twice"),
    info("entry points that are not UTF-8", "entry_points.txt", b"\xff", "wheel.bad_entry_points",
         "UTF-8"),
    scripts("a script of no object", "run = os.system('x')", "wheel.bad_entry_points",
            "os.system('x')", "module:object"),
    scripts("a script above its folder", "../evil = demo_env:main", "wheel.script_name", "../evil",
            "must be letters"),
    scripts("a script in place of python", "python3 = demo_env:main", "wheel.script_takes_command",
            "python3", "taken"),
    scripts("a script in place of pip", "pip.exe = demo_env:main", "wheel.script_takes_command",
            "pip.exe", "taken"),
    # RECORD
    info("no RECORD", "RECORD", None, "wheel.no_record", "missing"),
    info("a RECORD that is not UTF-8", "RECORD", b"\xff\xfe", "wheel.no_record", "UTF-8"),
    info("a RECORD that is not CSV", "RECORD", "x" * 140_000 + ",,\n", "wheel.record_not_csv",
         "not CSV"),
    Case("a RECORD of 9 MiB", lambda: make_wheel(replace={"RECORD": bytes(9 << 20)}),
         "wheel.record_too_large", (f"{INFO}/RECORD", "9437184", "8388608")),
    row("a row of two columns", {"more": "only,two"}, "wheel.record_bad_row", "only", "two",
        "path,hash,size"),
    row("an empty row", {"more": ""}, "wheel.record_bad_row", "row 5", "path,hash,size"),
    row("a path twice in RECORD", {"more": f"{INIT},{WRONG},5"}, "wheel.record_twice", INIT,
        "once"),
    row("a member that RECORD does not list", {INIT: None}, "wheel.record_missing", INIT,
        "must be"),
    Case("a member that RECORD does not know",
         lambda: make_wheel(extra=[(entry("demo_env/hidden.py"), b"import os\n")]),
         "wheel.record_missing", ("demo_env/hidden.py", "must be")),
    row("a RECORD that does not list itself", {f"{INFO}/RECORD": None}, "wheel.record_missing",
        f"{INFO}/RECORD"),
    row("a row without a member", {"more": f"demo_env/gone.py,{WRONG},5"}, "wheel.record_extra",
        "demo_env/gone.py", "no member"),
    row("a row above the wheel", {"more": f"../../gone.py,{WRONG},5"}, "wheel.record_extra",
        "../../gone.py", "no member"),
    row("a row without a hash", {INIT: f"{INIT},,{SIZE}"}, "wheel.record_no_hash", INIT, "sha256="),
    row("a weak hash", {INIT: f"{INIT},md5=abc,{SIZE}"}, "wheel.record_hash_kind", INIT, "md5=abc",
        "sha256="),
    row("a wrong stronger hash", {INIT: f"{INIT},sha512=abc,{SIZE}"}, "wheel.record_hash", INIT,
        "sha512=abc", "true is"),
    row("a wrong hash", {INIT: f"{INIT},{WRONG},{SIZE}"}, "wheel.record_hash", INIT, WRONG,
        "true is"),
    row("a wrong size", {INIT: record_row(INIT, TASKSET.encode()) + "0"}, "wheel.record_size", INIT,
        f"{SIZE}0", "it has"),
    row("a hash of RECORD itself", {f"{INFO}/RECORD": f"{INFO}/RECORD,{WRONG},5"},
        "wheel.record_itself", f"{INFO}/RECORD", WRONG, "stay empty"),
    # what installing it would do
    files("a shared library", {"demo_env/fast.so": b"\x7fELF"}, "wheel.compiled_member",
          "every machine"),
    files("a numbered shared library", {"demo_env/lib.so.1.2": b"\x7fELF"},
          "wheel.compiled_member"),
    files("a library of Windows", {"demo_env/FAST.PYD": b"MZ"}, "wheel.compiled_member"),
    files("compiled Python without its source", {"demo_env/secret.pyc": b"\xa7\r\r\n"},
          "wheel.pyc_without_source", "demo_env/secret.py"),
    files("a cache without its source",
          {"demo_env/__pycache__/secret.cpython-311.pyc": b"\xa7\r\r\n"},
          "wheel.pyc_without_source", "demo_env/secret.py"),
    files("a cache beside its source",
          {"demo_env/__pycache__/__init__.cpython-311.opt-1.pyc": b"\xa7\r\r\n"},
          "wheel.bytecode", INIT, "source alone"),
    files("a .pth file", {"evil.pth": "import os\n"}, "wheel.pth_member", "every start"),
    files("a .PTH file", {"EVIL.PTH": "import os\n"}, "wheel.pth_member", "every start"),
    Case("a start-up module", lambda: make_wheel(files={INIT: TASKSET, "sitecustomize.py": ""}),
         "wheel.startup_module", ("'sitecustomize.py'", "every start")),
    Case("a .data folder",
         lambda: make_wheel(files={INIT: TASKSET, "demo_env-0.1.0.data/scripts/python": ""}),
         "wheel.data_member", ("'demo_env-0.1.0.data'", "outside")),
    Case("a module of the standard library",
         lambda: make_wheel(files={INIT: TASKSET, "json.py": ""}), "wheel.shadows_stdlib",
         ("'json'", "Python itself")),
    Case("a package of the standard library",
         lambda: make_wheel(files={INIT: TASKSET, "random/__init__.py": ""}),
         "wheel.shadows_stdlib", ("'random'", "Python itself")),
    Case("a second numpy", lambda: make_wheel(files={INIT: TASKSET, "numpy/__init__.py": ""}),
         "wheel.shadows_library", ("'numpy'", "well-known")),
    Case("a second verifiers", lambda: make_wheel(files={INIT: TASKSET, "verifiers.py": ""}),
         "wheel.shadows_library", ("'verifiers'", "well-known")),
    files("a token", {"demo_env/.env": f"HUB_TOKEN={TOKEN}\n"}, "wheel.contains_token",
          "hub_PubL1c99..."),
    files("a runner's token", {"demo_env/notes.bin": b"\0" * 70_000 + RUNNER_TOKEN.encode()},
          "wheel.contains_token", "hubr_PubL1c99..."),
    Case("a token in the README", lambda: make_wheel(description=f"# How to\n\n{TOKEN}\n"),
         "wheel.contains_token", (f"{INFO}/METADATA", "hub_PubL1c99...")),
    # bombs
    Case("a bomb by ratio",
         lambda: make_wheel(files={INIT: TASKSET, "demo_env/z": bytes(40 << 20)}),
         "wheel.packs_too_well", ("50 times",)),
    Case("a bomb by size", lambda: make_wheel(files={INIT: TASKSET, "demo_env/z": bytes(3 << 20)}),
         "wheel.expands_too_much", ("limit is 2097152",),
         limits=replace(LIMITS, expanded=2 << 20)),
    Case("a bomb by count", lambda: make_wheel(
            files={INIT: TASKSET} | {f"demo_env/{n}.txt": "" for n in range(10_000)}),
         "wheel.too_many_members", ("10004 members", "limit is 10000")),
    Case("a wheel over the limit", make_wheel, "wheel.too_large", ("limit is 1000",),
         limits=replace(LIMITS, packed=1000)),
    nested("a bomb in a zip", "demo_env/a.zip", lambda: zipped({"z": ZEROS}), "wheel.nested_bomb",
           "4194304", "limit"),
    nested("a zip that declares 4 GB", "demo_env/a.npz", declared_zip, "wheel.nested_bomb",
           "4000000000", "limit"),
    nested("a bomb in gzip", "demo_env/a.gz", lambda: gzip.compress(ZEROS, mtime=0),
           "wheel.nested_bomb", "limit"),
    nested("a bomb in the second of two gzip streams", "demo_env/a.gz",
           lambda: gzip.compress(b"a", mtime=0) + gzip.compress(ZEROS, mtime=0),
           "wheel.nested_bomb", "limit"),
    nested("a bomb in bzip2", "demo_env/a.bz2", lambda: bz2.compress(ZEROS), "wheel.nested_bomb",
           "limit"),
    nested("a bomb in xz", "demo_env/a.xz", lambda: lzma.compress(ZEROS), "wheel.nested_bomb",
           "limit"),
    nested("a bomb under another name", "demo_env/a.txt", lambda: gzip.compress(ZEROS, mtime=0),
           "wheel.nested_bomb", "limit"),
    nested("an xz stream that wants 512 MiB", "demo_env/a.xz", hungry_xz, "wheel.nested_bomb",
           "memory", "limit"),
    files("a hundred thousand empty streams", {"demo_env/a.gz": EMPTY_STREAM * 100_001},
          "wheel.nested_bomb", "100000 parts"),
    nested("a zip in a zip", "demo_env/a.zip", lambda: zipped({"b.zip": zipped({"c": b""})}),
           "wheel.nested_archive", "b.zip", "once"),
]  # fmt: skip
