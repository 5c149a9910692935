"""What is installed beside an environment, and what is started for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.requirements import Requirement

from envyard.contract.frameworks.adapter import Adapter
from envyard.contract.frameworks.adapters import ADAPTERS
from envyard_runner import guest
from envyard_runner.frameworks.requirements import (
    FrameworkRequirements,
    framework_requirements,
    is_known_release,
)
from envyard_runner.venvs import VenvError
from tests.wheels import filename, make_wheel

V0 = ADAPTERS["verifiers", "v0"]
BESIDE = ("datasets", "prime-sandboxes<0.3")
OPEN = {"Requires-Dist": ["verifiers>=0.1.9"]}


@pytest.mark.parametrize(
    ("api", "version", "fits"),
    [
        ("v1", "0.4.0", True),
        ("v1", "0.4.9", True),
        ("v1", "0.3.1", False),
        ("v1", "0.5.0", False),
        ("v0", "0.3.1", True),
        ("v0", "0.4.0", False),
        ("v0", "0.2.0", True),
        ("v0", "0.1.9", True),
        ("v0", "0.1.8.post2", False),
    ],
)
def test_an_api_gets_only_releases_that_have_it(api: str, version: str, fits: bool) -> None:
    bound = Requirement(ADAPTERS["verifiers", api].requirements[0])
    assert bound.name == "verifiers"
    assert bound.specifier.contains(version) is fits


def test_classic_environments_get_the_library_their_rows_live_in() -> None:
    assert "datasets" in ADAPTERS["verifiers", "v0"].requirements


LOADS = "import verifiers as vf\ndef load_environment(): return vf.SingleTurnEnv()\n"
RLM = f"{LOADS}from verifiers.envs.experimental.rlm_env import RLMEnv\n"


def needed_of(folder: Path, source: str, *requires: str) -> FrameworkRequirements:
    path = folder / filename("my-env", "0.1.0")
    metadata = {"Requires-Dist": [*requires]}
    path.write_bytes(make_wheel("my-env", files={"my_env.py": source}, metadata=metadata))
    return framework_requirements(V0, wheel=path, module="my_env")


def test_a_wheel_gets_the_newest_release_that_has_what_its_code_uses(tmp_path: Path) -> None:
    needed = needed_of(tmp_path, LOADS, "verifiers>=0.1.9")
    assert needed.requirements == ("verifiers<0.3.2,>=0.1.9,>=0.2", *BESIDE)
    assert (needed.requires_python, needed.left_out) == ("<3.14,>=3.11", ())
    needed = needed_of(tmp_path, RLM, "verifiers>=0.1.9")
    assert needed.requirements == ("verifiers<0.3.2,>=0.1.9,<=0.1.14", *BESIDE)
    assert needed.requires_python == "<3.14,>=3.10"


def test_a_release_that_no_runner_drives_is_the_platforms_affair(tmp_path: Path) -> None:
    with pytest.raises(VenvError) as caught:
        needed_of(tmp_path, LOADS, "verifiers==0.1.8")
    assert (caught.value.finding.code, caught.value.fault) == ("env.framework_undriven", "platform")


def test_what_only_commands_of_earlier_releases_import_is_left_out(tmp_path: Path) -> None:
    assert needed_of(tmp_path, LOADS, "verifiers==0.1.12").left_out == ("wget",)
    assert needed_of(tmp_path, LOADS, "verifiers==0.1.12.dev3").left_out == ("wget",)
    assert needed_of(tmp_path, LOADS, "verifiers==0.1.12", "Wget").left_out == ()
    assert needed_of(tmp_path, LOADS, "verifiers").left_out == ()


def test_a_release_that_the_wheel_itself_requires_is_not_preferred(tmp_path: Path) -> None:
    (pin,) = needed_of(tmp_path, LOADS, "verifiers").preferred
    assert pin.startswith("anthropic==")
    assert needed_of(tmp_path, LOADS, "verifiers", "Anthropic>=0.78").preferred == ()


@pytest.mark.parametrize(
    ("own", "added"),
    [
        ("prime-sandboxes>=0.2.19", BESIDE),
        ("Prime_Sandboxes<1", BESIDE),
        ("prime-sandboxes>=0.4", ("datasets",)),
        ("prime-sandboxes~=0.5.0", ("datasets",)),
        ("prime-sandboxes==0.5.*", ("datasets",)),
    ],
)
def test_a_bound_of_ours_yields_to_the_wheels_own_requirement(
    own: str, added: tuple[str, ...], tmp_path: Path
) -> None:
    source = "import verifiers as vf\ndef load_environment(): return vf.SingleTurnEnv()\n"
    path = tmp_path / filename("my-env", "0.1.0")
    metadata = {"Requires-Dist": [*OPEN["Requires-Dist"], own]}
    path.write_bytes(make_wheel("my-env", files={"my_env.py": source}, metadata=metadata))

    needed = framework_requirements(V0, wheel=path, module="my_env")

    assert needed.requirements[1:] == added
    # A lock that was made before the bound has a later release, and stays valid.
    assert needed.driven == (V0.requirements[0], "datasets", "prime-sandboxes")


def test_a_release_later_than_the_table_is_known_as_such() -> None:
    assert is_known_release("verifiers", "0.4.0")
    assert not is_known_release("verifiers", "0.4.99")


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda adapter: adapter.api)
def test_every_adapter_has_its_guest_program(adapter: Adapter) -> None:
    module, _, name = adapter.guest_program.partition(":")
    source = Path(guest.__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
    assert f"class {name}" in source
