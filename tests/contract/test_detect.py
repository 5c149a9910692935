"""Detection of the framework from a wheel's code, in the shapes that authors write."""

from __future__ import annotations

import textwrap

import pytest

from envyard.contract.codes import CODES
from envyard.contract.detect import detect
from tests.contract.detect_wheels import CLASSIC, EXPORTED, TASKSET, codes, package, same, wheel


def test_a_taskset_in_a_single_module_is_v1() -> None:
    assert same(detect(wheel("word-game", word_game=EXPORTED)), "v1", "word_game", "WordTaskset")


def test_a_taskset_in_a_submodule_is_followed_through_relative_imports() -> None:
    init = 'from .parts.taskset import WordTaskset\n__all__ = ["WordTaskset"]'
    members = package("word-game", init, parts__taskset=TASKSET)
    assert same(detect(members), "v1", "word_game", "WordTaskset")


def test_a_taskset_reached_by_a_star_import_and_renamed_is_followed() -> None:
    init = 'from word_game.more import Words\n__all__ = ("Words",)'
    more = "from .taskset import *\nfrom .taskset import WordTaskset as Words"
    members = package("word-game", init, more=more, taskset=TASKSET)
    assert same(detect(members), "v1", "word_game", "Words")


def test_a_taskset_that_derives_from_another_in_the_wheel_is_v1() -> None:
    init = """
        from verifiers.v1 import Taskset
        class Base(Taskset):
            pass
        class Child(Base):
            pass
        __all__ = []
        __all__ += ["Child"]
    """
    assert same(detect(package("word-game", init)), "v1", "word_game", "Child")


def test_a_taskset_built_on_one_that_ships_with_the_framework_is_v1() -> None:
    init = """
        from verifiers.v1.tasksets.textarena import TextArenaTaskset
        class Mine(TextArenaTaskset):
            pass
        __all__ = ["Mine"]
    """
    assert same(detect(package("word-game", init)), "v1", "word_game", "Mine")


def test_the_api_comes_from_the_code_and_not_from_the_pin() -> None:
    members = wheel("word-game", word_game=EXPORTED)
    path = "word_game-0.1.0.dist-info/METADATA"
    members[path] += b"Requires-Dist: verifiers<0.2\n"
    assert detect(members).api == "v1"


def test_an_env_and_harness_beside_the_taskset_do_not_confuse_it() -> None:
    init = EXPORTED + textwrap.indent(
        textwrap.dedent("""
        class Duet(vf.Env[vf.EnvConfig]):
            pass
        class Loop(vf.Harness[vf.HarnessConfig]):
            pass
        __all__ = ["WordTaskset", "Duet", "Loop"]
        """),
        "    ",
    )
    assert detect(package("word-game", init)).entry == "WordTaskset"


@pytest.mark.parametrize(
    "members",
    [
        wheel("word-game", word_game=CLASSIC),
        package("word-game", "from .env import load_environment", env=CLASSIC),
        package("word-game", "from .env import *", env=CLASSIC),
    ],
    ids=["module", "import", "star"],
)
def test_a_load_environment_function_is_v0(members: dict[str, bytes]) -> None:
    detection = detect(members)
    assert same(detection, "v0", "word_game", "load_environment")
    assert detection.splits == ("train", "eval")


def test_a_taskset_has_priority_over_a_load_environment() -> None:
    init = EXPORTED + "\n    def load_environment(): ...\n"
    assert detect(package("word-game", init)).api == "v1"


def test_a_helper_named_load_environment_does_not_make_a_v1_wheel_classic() -> None:
    init = TASKSET + "\n    def load_environment(): ...\n"
    assert codes(detect(package("word-game", init))) == ["env.taskset_not_exported"]


def test_a_split_option_is_read_from_the_configuration() -> None:
    source = """
        from typing import Literal
        import verifiers.v1 as vf
        class Config(vf.TasksetConfig):
            split: Literal["train", "eval"] = "train"
        class Sums(vf.Taskset[vf.Task, Config]):
            pass
        __all__ = ["Sums"]
    """
    assert detect(wheel("sums", sums=source)).splits == ("train", "eval")


def test_detect_explains_a_library_without_an_environment() -> None:
    detection = detect(package("word-game", "def helper(): ..."))
    assert codes(detection) == ["env.framework_unknown"]
    assert detection.findings[0].message.startswith("The only module does not offer a verifiers")
    assert detection.framework == ""


def test_a_load_environment_without_verifiers_is_not_an_environment() -> None:
    assert codes(detect(wheel("cfg", cfg="def load_environment(): ..."))) == [
        "env.framework_unknown"
    ]


def test_a_taskset_that_is_not_exported_names_the_class_and_the_line_to_write() -> None:
    members = package("word-game", "", taskset=TASKSET)
    (finding,) = detect(members).findings
    assert finding.code == "env.taskset_not_exported"
    assert finding.where == "word_game.taskset"
    assert '__all__ = ["WordTaskset"]' in finding.hint


def test_two_exported_tasksets_are_ambiguous() -> None:
    init = EXPORTED + "\n    class More(WordTaskset): ...\n    __all__ += ['More']\n"
    (finding,) = detect(package("word-game", init)).findings
    assert finding.code == "env.framework_ambiguous"
    assert "word_game:WordTaskset" in finding.message
    assert "word_game:More" in finding.message


def test_of_two_modules_the_one_named_like_the_environment_is_taken() -> None:
    members = wheel("word-game", word_game=EXPORTED, other=EXPORTED)
    assert same(detect(members), "v1", "word_game", "WordTaskset")


def test_two_modules_of_which_none_has_the_name_are_ambiguous() -> None:
    assert codes(detect(wheel("word-game", finding=EXPORTED, two=CLASSIC))) == [
        "env.framework_ambiguous"
    ]


def test_a_module_verifiers_would_not_look_for_is_found_and_refused() -> None:
    detection = detect(wheel("word-game", words=EXPORTED))
    assert codes(detection) == ["env.module_name_mismatch"]
    assert (detection.module, detection.entry) == ("words", "WordTaskset")
    assert "word_game" in detection.findings[0].hint


def test_a_classic_module_may_keep_the_letter_case_of_its_name() -> None:
    assert same(
        detect(wheel("Word-Game", Word_Game=CLASSIC)), "v0", "Word_Game", "load_environment"
    )
    assert codes(detect(wheel("Word-Game", Word_Game=EXPORTED))) == ["env.module_name_mismatch"]


@pytest.mark.parametrize(
    "source",
    [b"def broken(:\n", b"\0\0", b"(" * 5000, b"x = " + b"-" * 200_000 + b"1", b"#" * (2 << 20)],
    ids=["syntax", "nul", "nested", "deep", "large"],
)
def test_unreadable_sources_are_findings_and_never_errors(source: bytes) -> None:
    members = wheel("word-game", helper="x = 1") | {"word_game.py": source}
    (finding,) = detect(members).findings
    assert finding.code == "env.framework_unknown"
    assert "word_game.py" in finding.message


def test_imports_and_bases_in_a_circle_come_to_an_end() -> None:
    members = package(
        "word-game",
        'from .a import X\n__all__ = ["X"]',
        a="from .b import X",
        b="from .a import X\nclass A(B): ...\nclass B(A): ...",
    )
    assert codes(detect(members)) == ["env.framework_unknown"]


def test_an_entry_with_a_name_too_long_to_store_is_no_entry() -> None:
    long = "W" * 201
    detection = detect(wheel("word-env", word_env=EXPORTED.replace("WordTaskset", long)))
    assert detection.framework == ""
    assert codes(detection)


def test_a_load_environment_outside_the_module_of_the_name_is_named_with_the_import_to_add() -> (
    None
):
    for members, place in (
        (wheel("acme-grid", acme__envs__grid=CLASSIC), "acme.envs.grid"),
        (package("acme-grid", "", env=CLASSIC), "acme_grid.env"),
    ):
        [finding] = detect(members).findings
        assert finding.code == "env.module_name_mismatch"
        assert f"load_environment is in module '{place}'" in finding.message
        assert finding.hint == f"Write in acme_grid: from {place} import load_environment"


def test_detect_names_a_module_that_is_no_python() -> None:
    [finding] = detect(wheel("bad-env", bad_env="def f(:")).findings
    assert finding.code == "env.framework_unknown"
    assert finding.message.startswith("No module of the wheel is readable as Python: ")
    assert "compileall" in finding.hint


def test_detect_rejects_several_classic_environments() -> None:
    [finding] = detect(wheel("two-envs", a_env=CLASSIC, b_env=CLASSIC)).findings
    assert finding.code == "env.framework_ambiguous"
    assert finding.hint == "Keep one, or name its module two_envs."


@pytest.mark.parametrize(
    ("wanted", "fault"), [(">=3.99", "platform"), (">=3.11", "environment"), ("odd", "environment")]
)
def test_source_for_a_newer_python_than_this_one_is_no_fault_of_the_environment(
    wanted: str, fault: str
) -> None:
    members = wheel("grid", grid="type Row[T: int = bool] = list[T]\ndef f(:", helper="x = 1")
    members["grid-0.1.0.dist-info/METADATA"] += f"Requires-Python: {wanted}\n".encode()
    [finding] = detect(members).findings
    assert CODES[finding.code].fault == fault
    assert finding.severity == "error"
    assert "grid.py" in finding.message
