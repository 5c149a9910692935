"""Scripts with dependencies of their own are found in files and strings, without running them."""

from __future__ import annotations

import pytest

from envyard.contract.inline_scripts import MAX_SCRIPTS, inline_scripts

BLOCK = '# /// script\n# requires-python = ">=3.10"\n# dependencies = ["{}"]\n# ///\n'


def dependencies(source: str, path: str = "env/verify.py") -> list[tuple[str, ...]]:
    return [script.dependencies for script in inline_scripts({path: source.encode()})]


@pytest.mark.parametrize(
    "source",
    [
        BLOCK.format("math-verify>=0.8") + "import math_verify\n",
        f"SCRIPT = '''\n{BLOCK.format('math-verify>=0.8')}print(1)\n'''\n",
        f"def make():\n    return {BLOCK.format('math-verify>=0.8')!r}\n",
        f"SCRIPT = {BLOCK.format('math-verify>=0.8').encode()!r}\n",
        BLOCK.format("math-verify>=0.8").replace("\n", "\r\n"),
        BLOCK.format("math-verify>=0.8") + "this is no Python (\n",
    ],
    ids=["file", "string", "escaped string", "bytes", "other line ends", "no python"],
)
def test_a_block_is_found(source: str) -> None:
    assert dependencies(source) == [("math-verify>=0.8",)]


@pytest.mark.parametrize(
    "source",
    [
        "print('no block')\n",
        BLOCK.format("x @ https://example.com/x.whl"),
        BLOCK.format("not a requirement !!"),
        "# /// script\n# dependencies = [\n# ///\n",
        "# /// script\n# dependencies = 3\n# ///\n",
        "# /// script\n# dependencies = []\n# ///\n",
        "# /// pyproject\n# dependencies = ['x']\n# ///\n",
        "# /// script\n# dependencies = ['x']\n",
    ],
)
def test_what_names_no_distribution_of_an_index_is_no_script(source: str) -> None:
    assert dependencies(source) == []


def test_scripts_are_counted_once_and_bounded() -> None:
    same = {f"env/{n}.py": BLOCK.format("one").encode() for n in range(3)}
    assert len(inline_scripts(same)) == 1
    many = {f"env/{n}.py": BLOCK.format(f"name{n}").encode() for n in range(2 * MAX_SCRIPTS)}
    assert len(inline_scripts(many)) == MAX_SCRIPTS
    assert dependencies(BLOCK.format("one"), path="env/notes.txt") == []
