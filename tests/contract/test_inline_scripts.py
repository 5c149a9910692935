"""Scripts with dependencies of their own are found in files and strings, without running them."""

from __future__ import annotations

import time

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


@pytest.mark.parametrize(
    "source",
    [
        "# /// script\n" * 8_000,
        "# /// script\n" + "#\n" * 300_000,
        "# /// script\n# " + "a." * 20_000 + "a = 1\n# ///\n",
        ("# /// script\n# " + "a." * 290 + "a = 1\n# ///\n\n") * 1_000,
        '# /// script\n# dependencies = ["a' + ">=1," * 100_000 + '>=1"]\n# ///\n',
    ],
    ids=["opened", "one open", "dotted key", "many blocks", "long requirement"],
)
def test_a_block_made_to_be_slow_is_read_in_bounded_time(source: str) -> None:
    start = time.process_time()
    assert dependencies(source) == []
    assert time.process_time() - start < 5


def test_a_block_ends_at_the_last_mark_of_its_comments() -> None:
    head, _, mark = BLOCK.format("one").rpartition("# ///")
    assert dependencies(f"{head}# ///\n# no TOML\n# ///\n") == []
    assert dependencies(f"{head}# ///\n\n{BLOCK.format('two')}") == [("one",), ("two",)]
    assert dependencies(f"#{head}# ///{mark}") == []
