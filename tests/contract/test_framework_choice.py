"""The choice of a framework's release for a wheel, and the findings where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from packaging.requirements import Requirement

from envyard.contract.codes import CODES
from envyard.contract.findings import Finding
from envyard.contract.frameworks.adapter import Adapter
from envyard.contract.frameworks.adapters import ADAPTERS
from envyard.contract.frameworks.choose import Choice, choose
from envyard.contract.frameworks.table import table

LOADS = "import verifiers as vf\ndef load_environment():\n    return vf.SingleTurnEnv()\n"


def chosen(source: str, *requires: str, api: str = "v0") -> Choice:
    return choose(
        {"my_env.py": source.encode()},
        framework="verifiers",
        api=api,
        module="my_env",
        requires_dist=requires,
    )


def only(choice: Choice) -> Finding:
    (finding,) = choice.findings
    return finding


def admits(choice: Choice, version: str) -> bool:
    return Requirement(choice.requirement).specifier.contains(version)


def test_an_open_bound_gets_the_newest_release_that_has_the_api() -> None:
    for requires in (["verifiers>=0.1.3"], ["verifiers"], []):
        choice = chosen(LOADS, *requires)
        assert (choice.release, choice.findings) == ("0.3.1", ())
        assert choice.requires_python == "<3.14,>=3.11"
    assert chosen("import verifiers.v1 as vf\nT = vf.Taskset", api="v1").release == "0.4.0"


def test_the_wheels_own_bound_counts_where_its_marker_holds() -> None:
    assert chosen(LOADS, "verifiers<0.3").release == "0.2.1"
    assert chosen(LOADS, "Verifiers [all] == 0.3.0", "torch").release == "0.3.0"
    assert chosen(LOADS, "verifiers<0.3; extra == 'old'").release == "0.3.1"
    assert chosen(LOADS, "verifiers<0.3; python_version < '3'", "no good!").release == "0.3.1"


def test_a_name_that_a_later_release_dropped_chooses_an_earlier_one() -> None:
    known = table("verifiers")
    dropped = next(
        (module, name)
        for module, names in sorted(known.modules.items())
        for name, numbers in sorted(names.items())
        if name.isidentifier() and module.count(".") > 1 and "v1" not in module
        and {str(known.releases[n].version) for n in numbers} >= {"0.2.1", "0.3.0"}
        and max(numbers) == known.releases.index(known.releases[-3])
    )  # fmt: skip
    choice = chosen(f"{LOADS}from {dropped[0]} import {dropped[1]}\n", "verifiers>=0.1.9")
    assert choice.release == "0.3.0"
    assert choice.findings == ()
    assert admits(choice, "0.3.0")
    assert not admits(choice, "0.3.1")


def test_a_name_of_no_release_is_the_authors_error_and_named() -> None:
    finding = only(chosen(f"{LOADS}X = vf.SingelTurnEnv\n", "verifiers>=0.1"))
    assert (finding.code, finding.severity, finding.where) == (
        "env.framework_names_missing", "error", "my_env.py:4"
    )  # fmt: skip
    assert "verifiers.SingelTurnEnv (my_env.py:4; in no release)" in finding.message
    assert CODES[finding.code].fault == "environment"


def test_choose_names_the_release_that_the_bound_must_admit() -> None:
    known = table("verifiers")
    added = next(
        (module, name)
        for module, names in sorted(known.modules.items())
        for name, numbers in sorted(names.items())
        if name.isidentifier() and "v1" not in module and "legacy" not in module
        and [str(known.releases[n].version) for n in sorted(numbers)] == ["0.3.0", "0.3.1"]
    )  # fmt: skip
    finding = only(chosen(f"{LOADS}from {added[0]} import {added[1]}\n", "verifiers<0.3"))
    assert (finding.code, finding.severity) == ("env.framework_names_missing", "error")
    assert "0.3.0 to 0.3.1" in finding.message
    assert "verifiers==0.3.1" in finding.hint


def test_names_that_only_releases_have_which_no_runner_can_run_are_not_the_authors_fault() -> None:
    finding = only(chosen(f"{LOADS}from verifiers import ToolRubric\n"))
    assert finding.code == "env.framework_undriven"
    assert "0.1.2 to 0.1.8.post2" in finding.message
    assert CODES[finding.code].fault == "platform"
    assert only(chosen(LOADS, "verifiers==0.1.5")).code == "env.framework_undriven"


ROW = """
def row(d):
    return {"question": d["text"], "answer": d["sum"], "task": %s}
"""
IN_INFO = """
def reward(info, **kwargs):
    return float(info["task"] == "sums")
"""


@pytest.mark.parametrize(
    "source",
    [
        LOADS + ROW % '"sums"',
        LOADS + ROW % "f'sums:{d}'",
        LOADS + ROW.replace("question", "prompt") % "'[1]'",
        LOADS + IN_INFO,
        LOADS + "TASKS = {r['info']['task'] for r in []}",
    ],
)
def test_rows_with_plain_texts_as_tasks_choose_a_release_that_accepts_them(source: str) -> None:
    choice = chosen(source, "verifiers>=0.1.10")
    assert (choice.release, choice.findings) == ("0.1.12", ())
    assert not admits(choice, "0.1.14")


@pytest.mark.parametrize(
    "source",
    [
        LOADS + ROW % "None",
        LOADS + ROW % "d['task']",
        LOADS + ROW % repr('{"name": "sums"}'),
        LOADS + ROW.replace("question", "note") % "'sums'",
        LOADS + "STATE = {'task': 'sums'}\nX = STATE['task']",
    ],
)
def test_other_uses_of_the_word_task_choose_the_newest_release(source: str) -> None:
    assert chosen(source, "verifiers>=0.1.10").release == "0.3.1"


def test_rows_that_no_admitted_release_accepts_warn_and_what_only_rows_can_show_does_not() -> None:
    choice = chosen(LOADS + ROW % '"sums"', "verifiers>=0.2")
    finding = only(choice)
    assert (choice.release, finding.code, finding.severity) == (
        "0.3.1", "env.framework_names_missing", "warning"
    )  # fmt: skip
    assert "rows whose `task` is a plain text (my_env.py:6; 0.0.0 to 0.1.12)" in finding.message
    assert chosen(LOADS + IN_INFO, "verifiers>=0.2").findings == ()


def test_a_name_that_only_a_function_uses_warns_and_the_newest_release_is_taken() -> None:
    choice = chosen(f"{LOADS}def helper(): return vf.SingelTurnEnv()")
    finding = only(choice)
    assert (choice.release, finding.code, finding.severity) == (
        "0.3.1", "env.framework_names_missing", "warning"
    )  # fmt: skip


def test_a_name_that_a_release_newer_than_the_table_may_have_only_warns() -> None:
    finding = only(chosen("import verifiers.v1 as vf\nX = vf.FromTheFuture", api="v1"))
    assert (finding.code, finding.severity) == ("env.framework_names_missing", "warning")


def test_choose_leaves_a_bound_of_unknown_releases_to_the_resolver() -> None:
    choice = chosen(LOADS, "verifiers==0.3.1.dev5")
    assert (choice.release, choice.findings) == ("", ())
    assert choice.requirement.startswith("verifiers")
    assert only(chosen(LOADS, "verifiers==0.3.2.dev5")).code == "env.framework_undriven"


def test_a_bound_that_names_a_development_release_does_not_get_a_later_one() -> None:
    choice = chosen(LOADS, "verifiers>=0.1.12.dev1")
    assert choice.release == "0.3.1"
    assert not Requirement(choice.requirement).specifier.contains("0.3.2.dev99", prereleases=True)
    later = chosen("import verifiers.v1 as vf\nT = vf.Taskset", "verifiers>=0.4.0.dev3", api="v1")
    assert not Requirement(later.requirement).specifier.contains("0.4.1.dev86", prereleases=True)


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda a: f"{a.framework}-{a.api}")
def test_every_api_has_a_release_in_the_table_of_its_framework(adapter: Adapter) -> None:
    known = [release.version for release in table(adapter.framework).releases]
    assert known == sorted(known)
    assert adapter.known_releases()


@pytest.mark.parametrize(
    "fields",
    [{"framework": "skyrl-gym"}, {"framework": "Gym"}, {"framework": "g" * 21}, {"api": "v" * 11}],
)
def test_adapter_rejects_a_framework_or_api_that_the_hub_cannot_store(
    fields: dict[str, str],
) -> None:
    with pytest.raises(ValueError, match=next(iter(fields.values()))):
        replace(ADAPTERS["verifiers", "v1"], **fields)  # type: ignore[arg-type]
