"""Scaffolding."""

from pathlib import Path

import pytest

from envyard import scaffold
from envyard.__main__ import main


def test_every_template_folder_belongs_to_an_adapter() -> None:
    folders = {path.parent.name for path in scaffold.templates_dir().glob("*/pyproject.toml")}
    assert sorted(folders) == sorted(scaffold.templates())


@pytest.mark.parametrize("template", scaffold.templates())
def test_init_fills_every_variable_in_files_and_paths(template: str, home: Path) -> None:
    assert main(["init", "my-env", "--template", template, "--author", 'Al "x" \\ Ice']) == 0
    files = [p for p in (home / "my-env").rglob("*") if p.is_file()]
    assert any(p.name == "pyproject.toml" for p in files)
    assert (home / "my-env" / "my_env").is_dir()
    for path in files:
        assert "{{ " not in str(path)
        for variable in scaffold.Names.__dataclass_fields__:
            assert f"{{{{ {variable} }}}}" not in path.read_text()


def test_init_refuses_a_folder_with_content(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "my-env").mkdir()
    (home / "my-env" / "mine.txt").write_text("mine")
    assert main(["init", "my-env"]) == 1
    assert [p.name for p in (home / "my-env").iterdir()] == ["mine.txt"]
    assert "not empty" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["-x", "a/b", "", "../x", "1st", "a b", "x" * 101])
def test_init_rejects_names_that_the_hub_would_refuse(name: str, home: Path) -> None:
    assert main(["init", "--", name]) == 2
    assert list(home.iterdir()) == []


def test_init_normalises_the_name(home: Path) -> None:
    assert main(["init", "My_Env.Two"]) == 0
    assert (home / "my-env-two" / "my_env_two").is_dir()
