"""Whatever the bytes, the archive reader refuses them or sees what every other reader sees."""

import io
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import oracle
from tests.corpus.framing import INIT
from tests.corpus.zips import load
from tests.wheels import entry, make_wheel

GOOD = make_wheel()
SEEDS = [
    GOOD,
    make_wheel(compression=zipfile.ZIP_STORED),
    make_wheel(files={INIT: "x = 1\n", "demo_env/ü.txt": b"\xff" * 500, "demo_env/empty": ""}),
]
NAMES = st.from_regex(r"[a-zé日]{1,8}(/[a-z. ]{1,8}[a-z]){0,3}/?", fullmatch=True)
MEMBERS = st.dictionaries(
    NAMES,
    st.tuples(
        st.one_of(st.binary(max_size=300), st.binary(max_size=8).map(lambda piece: piece * 9000)),
        st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
        st.sampled_from([0, 0o644, 0o100644, 0o100755]),
        st.integers(0, 9),
    ),
    max_size=8,
)


@pytest.mark.slow
@settings(max_examples=150, deadline=2000)
@given(MEMBERS)
def test_what_python_writes_is_read_as_python_reads_it(
    members: dict[str, tuple[bytes, int, int, int]],
) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, (data, method, mode, level) in members.items():
            info = entry(name, mode=mode, compression=method)
            archive.writestr(info, b"" if name.endswith("/") else data, compresslevel=level)
    data = file.getvalue()
    assert oracle.read(data) == oracle.zipfile_content(data) == oracle.forwards(data)


def flipped(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + bytes([value]) + data[at + 1 :]


POSITIONS = st.integers(0, max(len(seed) for seed in SEEDS))
MUTATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("flip"), POSITIONS, st.integers(0, 255)),
        st.tuples(st.just("cut"), POSITIONS, POSITIONS),
        st.tuples(st.just("insert"), POSITIONS, st.binary(max_size=40)),
        st.tuples(st.just("splice"), POSITIONS, st.sampled_from(SEEDS)),
        st.tuples(st.just("from the end"), st.integers(1, 300), st.integers(0, 255)),
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.slow
@settings(max_examples=500, deadline=2000, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SEEDS), MUTATIONS)
def test_changed_bytes_are_refused_or_read_alike(
    data: bytes, mutations: list[tuple[str, int, object]]
) -> None:
    for kind, at, value in mutations:
        match kind, value:
            case "flip", int(value):
                data = flipped(data, min(at, len(data) - 1), value) if data else data
            case "from the end", int(value):
                data = flipped(data, max(0, len(data) - at), value) if data else data
            case "cut", int(end):
                data = data[: min(at, end)] + data[max(at, end) :]
            case "insert" | "splice", bytes(more):
                data = data[:at] + more + data[at if kind == "insert" else len(data) :]
    oracle.check(data)


FIELDS = ("name", "flags", "method", "crc", "compressed", "size", "extra", "needs")
NUMBERS = st.sampled_from([0, 1, 2, 8, 0x800, 20, 63, 64, 0xFF, 0xFFFF, 0xFFFFFFFF])
EDITS = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from(["local", "central", "both"]), st.sampled_from(FIELDS),
        NUMBERS, st.binary(max_size=12),
    ),
    max_size=3,
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=300, deadline=2000)
@given(EDITS, st.dictionaries(st.sampled_from(["count", "here", "length", "start"]), NUMBERS),
       st.booleans())  # fmt: skip
def test_false_headers_are_refused_or_read_alike(
    edits: list[tuple[int, str, str, int, bytes]], end: dict[str, int], backwards: bool
) -> None:
    archive = load(GOOD)
    archive.end = {name: value & (0xFFFF if name in ("count", "here") else 0xFFFFFFFF)
                   for name, value in end.items()}  # fmt: skip
    for at, where, field, number, text in edits:
        part = archive.parts[at]
        value = text if field in ("name", "extra") else number
        if field in ("flags", "method", "needs"):
            value = number & 0xFFFF
        heads = {"local": [part.local], "central": [part.central]}
        for head in heads.get(where, [part.local, part.central]):
            setattr(head, field, value)
    if backwards:
        archive.parts.reverse()
    accepted = oracle.check(archive.dump())
    assert accepted or edits or end


@settings(max_examples=150, deadline=2000)
@given(st.binary(max_size=400))
def test_any_bytes_give_findings_and_never_raise(data: bytes) -> None:
    assert not oracle.check(data)
    assert not oracle.check(b"PK\3\4" + data)
