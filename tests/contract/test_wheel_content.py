"""Names, members and .dist-info keep their rules; each breach is told with member and rule."""

import io
import unicodedata

import pytest

from envyard.contract import checks
from envyard.contract.codes import CATALOGUE, Finding
from tests.wheels import TASKSET, entry, filename, make_wheel, record_row

INFO = "demo_env-0.1.0.dist-info"
INIT = "demo_env/__init__.py"


def findings(data: bytes, name: str | None = None) -> list[Finding]:
    return checks.run_all(io.BytesIO(data), filename=filename() if name is None else name)


def codes(data: bytes, name: str | None = None) -> list[str]:
    return [found.code for found in findings(data, name)]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "wheel.bad_filename"),
        ("demo-env.zip", "wheel.bad_filename"),
        ("demo_env-0.1.0.whl", "wheel.bad_filename"),
        ("demo_env-x.y-py3-none-any.whl", "wheel.bad_filename"),
        ("Demo_Env-0.1.0-py3-none-any.whl", "wheel.bad_filename"),
        ("demo.env-0.1.0-py3-none-any.whl", "wheel.bad_filename"),
        ("demo_env-0.1-0-py3-none-any.whl", "wheel.bad_filename"),
        ("demo_env-0.1.0-1-py3-none-any.whl", "wheel.bad_filename"),
        ("demo_env-00.1.0-py3-none-any.whl", "wheel.bad_filename"),
        ("../demo_env-0.1.0-py3-none-any.whl", "wheel.bad_filename"),
        ("other-0.1.0-py3-none-any.whl", "wheel.no_dist_info"),
        ("demo_env-0.2.0-py3-none-any.whl", "wheel.no_dist_info"),
        ("demo_env-0.1.0-py3-none-linux_x86_64.whl", "wheel.bad_filename"),
        ("demo_env-0.1.0-cp311-cp311-any.whl", "wheel.bad_filename"),
        ("demo_env-0.1.0-py2-none-any.whl", "wheel.bad_filename"),
    ],
)
def test_a_file_name_that_is_not_the_wheels_normal_one_is_refused(name: str, code: str) -> None:
    assert code in codes(make_wheel(), name)


@pytest.mark.parametrize("tag", ["py2.py3-none-any", "py311-none-any"])
def test_other_pure_tags_are_fine(tag: str) -> None:
    tags = {"py2.py3-none-any": "py2-none-any\nTag: py3-none-any"}.get(tag, tag)
    assert codes(make_wheel(tag=tags), filename(tag=tag)) == []


@pytest.mark.parametrize("tag", ["py3-none-linux_x86_64", "cp311-cp311-any", "py2-none-any"])
def test_a_tag_for_one_system_is_refused(tag: str) -> None:
    assert codes(make_wheel(tag=tag), filename(tag=tag)) == ["wheel.not_pure"]


@pytest.mark.parametrize("name", ["a.so", "a.so.1.2", "a.cpython-311-x86_64-linux-gnu.SO", "a.pyd"])
def test_compiled_code_is_refused(name: str) -> None:
    [found] = findings(make_wheel(files={INIT: TASKSET, f"demo_env/{name}": b"\x7fELF"}))
    assert (found.code, found.where) == ("wheel.not_pure", f"demo_env/{name}")


@pytest.mark.parametrize(
    "path",
    [
        "../evil.py", "demo_env/../../evil.py", "/etc/evil.py", "demo_env//evil.py", "./evil.py",
        "demo_env/./evil.py", "demo_env\\evil.py", "C:/evil.py", "C:evil.py", "demo_env/..",
    ],
)  # fmt: skip
def test_a_path_that_leaves_the_wheel_is_refused(path: str) -> None:
    [found] = findings(make_wheel(files={path: "x = 1\n"}))
    assert (found.code, found.where) == ("wheel.unsafe_member", path)
    assert repr(path) in found.message


@pytest.mark.parametrize("mode", [0o120777, 0o020666, 0o060666, 0o010666, 0o140666, 0o040755])
def test_links_devices_and_disguised_folders_are_refused(mode: int) -> None:
    data = make_wheel(extra=[(entry("demo_env/link", mode=mode), b"/etc/passwd")])
    assert "wheel.symlink_member" in codes(data)


def test_a_folder_with_content_is_refused() -> None:
    data = make_wheel(extra=[(entry("demo_env/x/", mode=0o040755), b"content")])
    assert "wheel.symlink_member" in codes(data)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("demo_env/a.py", "demo_env/A.py"),
        ("demo_env/a/x.py", "demo_env/A/y.py"),
        ("demo_env/straße.py", "demo_env/STRASSE.py"),
        ("demo_env/é.py", "demo_env/" + unicodedata.normalize("NFD", "é.py")),
        ("demo_env/a", "demo_env/a/b.py"),
    ],
)
def test_paths_that_some_file_systems_take_for_one_are_refused(one: str, other: str) -> None:
    [found] = findings(make_wheel(files={one: "", other: ""}))
    assert (found.code, found.where) == ("wheel.case_collision", other)


def test_paths_that_only_look_alike_are_fine() -> None:
    files = {"demo_env/a.py": "", "demo_env/a.txt": "", "demo_env/b/a.py": "", "demo_env2.py": ""}
    assert codes(make_wheel(files=files)) == []


@pytest.mark.parametrize(
    ("folder", "code"),
    [
        ("other-0.1.0.dist-info", "wheel.no_dist_info"),
        ("demo_env-0.2.0.dist-info", "wheel.no_dist_info"),
        ("demo_env.dist-info", "wheel.no_dist_info"),
        ("demo_env-0.1.0", "wheel.no_dist_info"),
    ],
)
def test_a_dist_info_folder_of_another_name_is_refused(folder: str, code: str) -> None:
    assert codes(make_wheel(dist_info=folder)) == [code]


def test_a_second_dist_info_folder_is_refused() -> None:
    files = {INIT: TASKSET, "other-1.0.dist-info/METADATA": "Name: other\n"}
    assert codes(make_wheel(files=files)) == ["wheel.no_dist_info"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("METADATA", "wheel.no_metadata"),
        ("WHEEL", "wheel.no_wheel_file"),
        ("RECORD", "wheel.no_record"),
    ],
)
@pytest.mark.parametrize("content", [None, b"\xff\xfe"], ids=["missing", "not UTF-8"])
def test_the_three_documents_must_be_there_and_readable(
    name: str, code: str, content: bytes | None
) -> None:
    assert codes(make_wheel(replace={name: content})) == [code]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "wheel.no_wheel_file"),
        ("Wheel-Version: 2.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "wheel.no_wheel_file"),
        ("Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n", "wheel.not_pure"),
        ("Wheel-Version: 1.0\nTag: py3-none-any\n", "wheel.not_pure"),
        ("Wheel-Version: 1.0\nRoot-Is-Purelib: true\n", "wheel.bad_filename"),
        ("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: cp311-abi3-any\n", "wheel.bad_filename"),
        ("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: nonsense\n", "wheel.bad_filename"),
    ],
)
def test_the_wheel_file_must_agree_with_the_file_name(text: str, code: str) -> None:
    assert code in codes(make_wheel(replace={"WHEEL": text}))


SIZE = len(TASKSET)
WRONG = "sha256=" + "A" * 43


@pytest.mark.parametrize(
    ("rows", "where", "said"),
    [
        ({INIT: None}, INIT, "is not listed"),
        ({INIT: f"{INIT},{WRONG},{SIZE}"}, INIT, WRONG),
        ({INIT: f"{INIT},,"}, INIT, "RECORD says"),
        ({INIT: f"{INIT},md5=abc,{SIZE}"}, INIT, "md5=abc"),
        ({"more": f"demo_env/gone.py,{WRONG},5"}, f"{INFO}/RECORD", "which is no member"),
        ({"more": f"../gone.py,{WRONG},5"}, f"{INFO}/RECORD", "which is no member"),
        ({"more": f"{INIT},{WRONG},5"}, f"{INFO}/RECORD", "stands twice"),
        ({"more": "only,two"}, f"{INFO}/RECORD", "not path,hash,size"),
        ({"more": "\n"}, f"{INFO}/RECORD", "not path,hash,size"),
        ({f"{INFO}/RECORD": f"{INFO}/RECORD,{WRONG},5"}, f"{INFO}/RECORD", "RECORD says"),
        ({f"{INFO}/RECORD": None}, f"{INFO}/RECORD", "is not listed"),
    ],
)
def test_record_must_describe_the_members_exactly(
    rows: dict[str, str | None], where: str, said: str
) -> None:
    found = findings(make_wheel(record=rows))[0]
    assert (found.code, found.where) == ("wheel.record_mismatch", where)
    assert said in found.message


def test_a_member_that_record_does_not_list_is_refused() -> None:
    [found] = findings(make_wheel(extra=[(entry("demo_env/hidden.py"), b"import os\n")]))
    assert (found.code, found.where) == ("wheel.record_mismatch", "demo_env/hidden.py")


def test_a_right_digest_with_a_wrong_size_is_refused() -> None:
    row = record_row(INIT, TASKSET.encode())
    assert codes(make_wheel(record={INIT: row})) == []
    assert codes(make_wheel(record={INIT: f"{row}0"})) == ["wheel.record_mismatch"]


def test_names_with_commas_and_quotes_are_read_as_csv() -> None:
    assert codes(make_wheel(files={INIT: TASKSET, "demo_env/a,b.txt": "x"})) == []


@pytest.mark.parametrize("name", ["evil.pth", "EVIL.PTH"])
def test_a_pth_file_is_refused(name: str) -> None:
    assert codes(make_wheel(files={INIT: TASKSET, name: "import os\n"})) == ["wheel.pth_member"]


def test_a_saved_model_of_the_same_suffix_is_fine() -> None:
    assert codes(make_wheel(files={INIT: TASKSET, "demo_env/weights.pth": b"\0\1"})) == []


def test_a_data_folder_is_refused() -> None:
    files = {
        INIT: TASKSET,
        "demo_env-0.1.0.data/data/lib/python3.11/site-packages/x.pth": "import os",
    }
    assert codes(make_wheel(files=files)) == ["wheel.data_member"]


@pytest.mark.parametrize(
    "path", ["json.py", "random/__init__.py", "sitecustomize.py", "usercustomize/__init__.py"]
)
def test_a_top_level_module_of_pythons_own_is_refused(path: str) -> None:
    [found] = findings(make_wheel(files={INIT: TASKSET, path: ""}))
    assert found.code == "wheel.shadows_stdlib"
    assert found.where == path.partition("/")[0].removesuffix(".py")


def test_the_same_names_inside_the_package_are_fine() -> None:
    assert codes(make_wheel(files={INIT: TASKSET, "demo_env/json.py": ""})) == []


def test_a_wheel_with_thousands_of_faults_is_told_of_the_first() -> None:
    files = {f"../{number}.py": "" for number in range(1000)}
    found = findings(make_wheel(files=files))
    assert 0 < len(found) <= 5 * checks.MAX_FINDINGS_A_CHECK


def test_every_finding_fits_the_columns_that_keep_it() -> None:
    long = "b" * 290
    files = {f"../{long}": "", long: "", long.upper(): ""}
    for found in findings(make_wheel(files=files, record={"more": "x" * 5000 + ",a,1"})):
        assert found.code in CATALOGUE
        assert len(found.where) <= 300
        assert "\0" not in found.message
