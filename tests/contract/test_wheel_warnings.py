"""Wheels that pass with a warning, and checks beside the corpus: hints, bounds and readers."""

import collections
import configparser
import gzip
import importlib.metadata
import io
import pickle
import time
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from envyard.contract import checks, commands, hidden, pickles, wheel
from envyard.contract.findings import Finding
from tests.corpus import BAD, GOOD
from tests.corpus.case import Case
from tests.corpus.content import zipped
from tests.corpus.inner import numpy_objects
from tests.wheels import TASKSET, filename, make_wheel

INIT = "demo_env/__init__.py"


def findings_of(**changes: object) -> list[Finding]:
    return judged(make_wheel(**changes))  # type: ignore[arg-type]


def judged(data: bytes, file: str = "") -> list[Finding]:
    return checks.run_all(io.BytesIO(data), filename=file or filename())


def files(**more: bytes) -> dict[str, str | bytes]:
    return {INIT: TASKSET, **{f"demo_env/{name}": data for name, data in more.items()}}


def test_a_pickle_that_imports_is_a_warning_that_names_the_imports() -> None:
    data = pickle.dumps(collections.OrderedDict(a=1))
    for member in (data, gzip.compress(data), zlib.compress(data), zipped({"x": data}),
                   numpy_objects(data)):  # fmt: skip
        [warning] = findings_of(files=files(a=member))
        assert (warning.code, warning.severity, warning.where) == (
            "wheel.pickle_imports", "warning", "demo_env/a",
        )  # fmt: skip
        assert "collections.OrderedDict" in warning.message


@pytest.mark.slow
def test_a_pickle_too_long_to_be_followed_is_a_warning() -> None:
    data = b"\x80\x04" + b"N0" * (pickles.MAX_OPCODES // 2 + 1) + b"N."
    start = time.process_time()
    [warning] = findings_of(files=files(a=data))
    assert (warning.code, warning.severity) == ("wheel.pickle_unread", "warning")
    assert time.process_time() - start < 10


@pytest.mark.parametrize("wanted", ["==3.12.4", ">3.11.4,<3.11.8", "~=3.13.2", ">=3.12,<4"])
def test_requires_python_may_name_single_releases(wanted: str) -> None:
    assert findings_of(metadata={"Requires-Python": wanted}) == []


def test_a_text_pickle_that_runs_code_before_its_fault_is_refused() -> None:
    [warning] = findings_of(files=files(**{"a.p": b"cos\nsystem\n(S'id'\ntR~"}))
    assert (warning.code, warning.severity) == ("wheel.pickle_runs_code", "error")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.pt", "com o sistema antigo, nada funciona.\nA casa é amarela.\nNão sei.\n"),
        ("solve.jl", 'include("common.jl")\nusing LinearAlgebra\n'),
        ("notes.p", "introduction\nos\nprint x.\n"),
        ("words.pt", "casa\ncarro\nchave\n"),
    ],
)
def test_text_whose_name_is_one_of_pickles_is_no_pickle(name: str, text: str) -> None:
    assert findings_of(files=files(**{name: text.encode()})) == []


def test_a_pickle_with_raw_arrays_between_is_a_warning() -> None:
    data = pickle.dumps(collections.OrderedDict(a=1))[:-1] + b"\xff\xfe" + bytes(64)
    [warning] = findings_of(files=files(**{"a.joblib": data}))
    assert (warning.code, warning.severity) == ("wheel.pickle_unread", "warning")


@pytest.mark.parametrize(
    "start", [b"\x7fELF\2\1\1" + bytes(60), b"\xcf\xfa\xed\xfe" + bytes(60),
              b"\xca\xfe\xba\xbe\0\0\0\2" + bytes(60), b"MZ" + bytes(58) + b"\x40\0\0\0PE\0\0"],
)  # fmt: skip
def test_a_program_is_a_warning(start: bytes) -> None:
    [warning] = findings_of(files=files(tool=start))
    assert (warning.code, warning.severity) == ("wheel.program_member", "warning")


def test_a_java_class_and_a_text_are_no_programs() -> None:
    assert (
        findings_of(files=files(a=b"\xca\xfe\xba\xbe\0\0\0\x41" + bytes(60), b=b"MZ is text")) == []
    )


@pytest.mark.parametrize("path", ["tests/__init__.py", "utils.py", "README.md", ".prime/a.json"])
def test_a_name_that_many_wheels_use_is_a_warning(path: str) -> None:
    [warning] = findings_of(files={INIT: TASKSET, path: "x"})
    assert (warning.code, warning.severity) == ("wheel.shared_name", "warning")
    assert path.partition("/")[0] in warning.message


def test_an_environment_may_have_a_shared_name_as_its_own() -> None:
    data = make_wheel("tools", files={"tools/__init__.py": TASKSET})
    assert judged(data, filename("tools")) == []


def test_a_platform_wheel_gets_the_hint_to_build_pure_python() -> None:
    tag = "cp311-cp311-manylinux_2_17_x86_64"
    text = f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n"
    errors = judged(make_wheel(tag=tag, replace={"WHEEL": text}), filename(tag=tag))
    assert {warning.code for warning in errors} == {"wheel.platform_tag", "wheel.not_purelib"}
    assert all("again" not in warning.hint and "py3-none-any" in warning.hint for warning in errors)


OWN_NAMES = [
    "pythonic", "uvula", "pip-audit-env", "hubble", "activated", "gitenv", "my-python",
    "python_env", "sorting", "demo.sh",
]  # fmt: skip


@pytest.mark.parametrize("name", OWN_NAMES)
def test_a_script_with_a_name_of_its_own_takes_no_command(name: str) -> None:
    assert commands.replaced_command(name) == ""


@pytest.mark.parametrize(
    "text", ["👩‍💻", "❤️", "می‌خواهم", "क्‍ष", "1️⃣", "naïve", "a\u00a0b", "葛\U000e0100"]
)
def test_typed_characters_are_not_hidden(text: str) -> None:
    assert hidden.line_fault(text) == ""


SCRIPTED = [warning for warning in GOOD if "entry" in warning.name or "script" in warning.name]


@pytest.mark.parametrize("case", SCRIPTED, ids=str)
def test_two_readers_of_python_see_the_same_in_accepted_entry_points(
    case: Case, tmp_path: Path
) -> None:
    text = wheel.read(io.BytesIO(case.build()), filename=case.filename).entry_points or ""
    (tmp_path / "entry_points.txt").write_bytes(text.encode())
    entry_points = importlib.metadata.PathDistribution(tmp_path).entry_points
    parser = configparser.ConfigParser()
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text)
    assert {(entry.group, entry.name, entry.value) for entry in entry_points} == {
        (group, name, value) for group in parser.sections() for name, value in parser.items(group)
    }


def test_archives_are_read_in_bounded_time() -> None:
    """A small wheel that expands as far as it may, in streams inside a zip."""
    inner = gzip.compress(bytes(2 << 20), mtime=0)
    data = make_wheel(files=files(a=zipped({f"{n}.bin": inner for n in range(40)})))
    start = time.process_time()
    errors = checks.run_all(io.BytesIO(data), filename=filename(),
                            limits=replace(wheel.LIMITS, ratio_floor=32 << 20))  # fmt: skip
    assert [warning.code for warning in errors] == ["wheel.nested_bomb"]
    assert time.process_time() - start < 5


def test_the_corpus_has_every_line_break_of_a_reader() -> None:
    """Of importlib.metadata, which splits entry_points.txt by str.splitlines."""
    breaks = {chr(code) for code in range(0x3000) if len(f"a{chr(code)}b".splitlines()) > 1}
    texts = [case.build() for case in BAD if case.name.startswith("a script behind ")]
    accepted = {wheel.read(io.BytesIO(data), filename=filename()).entry_points for data in texts}
    assert all(
        any(f"main{character}python" in (text or "") for text in accepted)
        for character in breaks - {"\n"}
    )
