"""The imports and calls of a pickle, without loading it.

Source: the opcodes of `pickletools`. Strings are followed through the memo, so that the name of an
import is known; where it is not, the import counts as hidden.
"""

from __future__ import annotations

import builtins
import pickletools
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

MAX_OPCODES = 2_000_000  # in all pickles of one wheel
MAX_LINE = 1 << 16
MAX_ARGUMENT = 1 << 40  # bytes of an argument
MAX_STRING = 200  # characters; no longer string is the name of a module
MAX_NAMES = 20
NAMED = re.compile(r"\.(pkl|pickle|pck|pcl|p|joblib|jl|pt|pth|ckpt|sav|dill|cpkl)$", re.IGNORECASE)
DOTTED = re.compile(r"[A-Za-z_][\w.]*\Z")
TEXT = re.compile(rb"[ci][A-Za-z_][\w.]*\n[A-Za-z_][\w.]*\n|[(\])}][]}(lpdq]")
OPCODES = {opcode.code: opcode for opcode in pickletools.opcodes}
BINARY = re.compile(rb"\x80[\x02-\x05]")
STRINGS = {
    "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE", "STRING", "BINSTRING",
    "SHORT_BINSTRING",
}  # fmt: skip
PUTS, GETS = {"PUT", "BINPUT", "LONG_BINPUT"}, {"GET", "BINGET", "LONG_BINGET"}
SILENT = {"PROTO", "FRAME"}
CALLS = {"REDUCE", "NEWOBJ", "NEWOBJ_EX", "OBJ", "INST", "BUILD"}
EXTENSIONS = {"EXT1", "EXT2", "EXT4"}
# Of builtins only types of plain values and exceptions are harmless.
PLAIN_BUILTINS = frozenset(
    """
    Ellipsis NotImplemented bool bytearray bytes complex dict float frozenset int list long object
    range set slice str tuple unicode xrange
    """.split()  # noqa: SIM905 - a list of quoted words would take a dozen lines
) | {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
RUNNING_MODULES = frozenset(
    """
    _ctypes _io _pickle _posixsubprocess _thread aiohttp asyncio atexit bdb cProfile cffi
    cloudpickle code codeop commands concurrent ctypes dill distutils doctest ensurepip fcntl ftplib
    http httpx idlelib imp importlib inspect io lib2to3 linecache marshal mmap multiprocessing nt os
    pdb pickle pip pkgutil platform popen2 posix profile pty pydoc requests resource runpy
    setuptools shutil signal site
    smtplib socket sqlite3 ssl subprocess sys sysconfig tempfile threading timeit trace
    types unittest urllib urllib2 uuid venv webbrowser zipimport
    """.split()  # noqa: SIM905
)
RUNNING_NAMES = re.compile(
    r"operator\.(attrgetter|methodcaller|call)|functools\.reduce|joblib\.(load|numpy_pickle\..*)"
    r"|torch\.(load|hub\..*|jit\..*|serialization\.load|utils\.cpp_extension\..*|_dynamo\..*)"
    r"|numpy\.(testing\..*|load|f2py\..*|distutils\..*|lib\.npyio\.load)"
    r"|pandas\.(eval|read_pickle|io\.pickle\..*|core\.computation\..*)|logging\.config\..*"
)
HARMLESS_NAMES = frozenset({"uuid.UUID", "uuid.SafeUUID", "types.SimpleNamespace", "io.BytesIO",
                            "_io.BytesIO", "io.StringIO", "_io.StringIO"})  # fmt: skip
HIDDEN_NAME = "a computed name"


class NoPickle(Exception):
    """The bytes are no pickle."""


@dataclass(slots=True)
class Verdict:
    """What one pickle does; `unread` where it is too long to be followed to its end."""

    path: str
    imports: dict[str, None] = field(default_factory=dict)
    calls: bool = False
    unread: bool = False
    running: str = ""  # the first import that runs code, loads code or is hidden

    def add(self, name: str) -> None:
        """Note an import."""
        if len(self.imports) < MAX_NAMES:
            self.imports[name] = None
        if not self.running and runs_code(name):
            self.running = name


def runs_code(name: str) -> bool:
    """Whether calling what has this dotted name can run other code, files or programs."""
    module, _, attribute = name.partition(".")
    if name in HARMLESS_NAMES:
        return False
    if module in ("builtins", "__builtin__"):
        return attribute not in PLAIN_BUILTINS
    return name == HIDDEN_NAME or module in RUNNING_MODULES or bool(RUNNING_NAMES.fullmatch(name))


@dataclass(slots=True)
class Budget:
    """How many opcodes are followed in all pickles of one wheel."""

    left: int = MAX_OPCODES


def judge(file: IO[bytes], path: str, budget: Budget, *, strict: bool) -> Verdict:
    """Follow the pickles in the file, one after the other; raises NoPickle where it holds none.

    Opcodes before a fault are executed nevertheless when the file is loaded. In a file that only
    its name calls a pickle, which may well be text, they count where they run code. `strict` is for
    files that nothing calls a pickle: each import has a plain name, and nothing is at fault.
    """
    verdict = Verdict(path)
    magic = file.read(2)
    binary = bool(BINARY.match(magic))
    file.seek(-len(magic), 1)
    try:
        _Reader(file, verdict, budget, strict).pickle()
        while BINARY.match(magic := file.read(2)):
            file.seek(-len(magic), 1)
            _Reader(file, verdict, budget, strict).pickle()
    except NoPickle:
        counts = verdict.running or (binary and verdict.imports)
        if strict or not counts or verdict.running == HIDDEN_NAME:
            raise
        verdict.unread = True
    return verdict


class _Reader:
    """One pickle, opcode by opcode; only strings on top of the stack are known."""

    def __init__(self, file: IO[bytes], verdict: Verdict, budget: Budget, strict: bool) -> None:
        self._file, self._verdict, self._budget, self._strict = file, verdict, budget, strict
        self._stack: list[str | None] = []
        self._memo: dict[int, str] = {}
        self._memoized = 0
        self._numbered = False

    def pickle(self) -> None:
        for name, argument in self._opcodes():
            if name == "STOP":
                return
            self._step(name, argument)

    def _opcodes(self) -> Iterator[tuple[str, str | None]]:
        while self._budget.left:
            self._budget.left -= 1
            opcode = OPCODES.get(self._file.read(1).decode("latin-1"))
            if opcode is None:
                raise NoPickle
            yield opcode.name, self._argument(opcode)
        self._verdict.unread = True

    def _argument(self, opcode: pickletools.OpcodeInfo) -> str | None:
        argument = opcode.arg
        if argument is None:
            return None
        if argument.name == "stringnl_noescape_pair":
            return f"{self._line()}.{self._line()}"
        if argument.n == pickletools.UP_TO_NEWLINE:
            return self._line()
        if argument.n >= 0:
            raw = self._exactly(argument.n)
            return str(int.from_bytes(raw, "little")) if argument.n <= 4 else None
        width = {
            pickletools.TAKEN_FROM_ARGUMENT1: "<B",
            pickletools.TAKEN_FROM_ARGUMENT4: "<i",
            pickletools.TAKEN_FROM_ARGUMENT4U: "<I",
            pickletools.TAKEN_FROM_ARGUMENT8U: "<Q",
        }[argument.n]
        (length,) = struct.unpack(width, self._exactly(struct.calcsize(width)))
        if not 0 <= length <= MAX_ARGUMENT:  # beyond any file's end, and beyond what seek takes
            raise NoPickle
        if opcode.name in STRINGS and length <= MAX_STRING:
            return self._exactly(length).decode(errors="replace")
        if length:
            self._file.seek(length - 1, 1)
            self._exactly(1)
        return None

    def _line(self) -> str:
        line = self._file.readline(MAX_LINE)
        if not line.endswith(b"\n"):
            raise NoPickle
        return line[:-1].decode(errors="replace")

    def _exactly(self, length: int) -> bytes:
        raw = self._file.read(length)
        if len(raw) != length:
            raise NoPickle
        return raw

    def _step(self, name: str, argument: str | None) -> None:
        if name in SILENT:
            return
        if name == "MEMOIZE":
            self._remember(self._memoized)
            self._memoized += 1
        elif name in PUTS:
            self._numbered = True
            self._remember(_number(argument))
        elif name in GETS:
            # Where the two ways to fill the memo are mixed, numbers are not known.
            mixed = self._numbered and self._memoized
            self._push(None if mixed else self._memo.get(_number(argument)))
        elif name in STRINGS:
            text = argument.strip("'\"") if argument and name == "STRING" else argument
            self._push(text if text is not None and len(text) <= MAX_STRING else None)
        elif name == "POP":
            self._stack[-1:] = []
        else:
            self._act(name, argument)

    def _act(self, name: str, argument: str | None) -> None:
        if name in ("GLOBAL", "INST"):
            self._import(argument or "")
        elif name == "STACK_GLOBAL":
            module, attribute = [None, None, *self._stack][-2:]
            known = module and attribute and DOTTED.match(f"{module}.{attribute}")
            self._import(f"{module}.{attribute}" if known else HIDDEN_NAME)
        elif name in EXTENSIONS:
            self._import(HIDDEN_NAME)
        if name in CALLS:
            self._verdict.calls = True
        self._push(None)

    def _import(self, name: str) -> None:
        if self._strict and not DOTTED.match(name):
            raise NoPickle
        self._verdict.add(name)

    def _push(self, text: str | None) -> None:
        self._stack = [*self._stack[-3:], text]

    def _remember(self, number: int) -> None:
        text = self._stack[-1] if self._stack else None
        if text is None:
            self._memo.pop(number, None)
        else:
            self._memo[number] = text


def _number(argument: str | None) -> int:
    try:
        return int(argument or "0")
    except ValueError:
        raise NoPickle from None


def may_be_text(head: bytes) -> bool:
    """Whether a file that nothing calls a pickle is one of the older protocols, by its start.

    Those have an import of two plain lines early on, or begin with an empty list or dict.
    """
    return head[:1].decode("latin-1") in OPCODES and bool(TEXT.search(head))


def skip_numpy(file: IO[bytes]) -> bool:
    """Go to the data behind a .npy header; whether it is a pickle, as for arrays of objects."""
    version = file.read(8)[6:7]
    width = 2 if version == b"\1" else 4
    header = file.read(int.from_bytes(file.read(width), "little") & 0xFFFFF)
    return b"O" in header.partition(b"fortran_order")[0].partition(b"descr")[2]
