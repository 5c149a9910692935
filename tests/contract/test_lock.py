"""A lock holds pins with hashes and nothing else, in any input."""

import pytest

from envyard.contract.lock import MAX_CHARACTERS, BadLock, Pin, parse, render

ONE, TWO = "1" * 64, "2" * 64
LOCK = f"""\
aiohttp==3.9.1 \\
    --hash=sha256:{ONE} \\
    --hash=sha256:{TWO}
torch==2.9.0+cpu \\
    --hash=sha256:{TWO}
"""


def test_what_uv_writes_is_read_and_written_alike() -> None:
    pins = parse(LOCK)
    assert pins == (Pin("aiohttp", "3.9.1", (ONE, TWO)), Pin("torch", "2.9.0+cpu", (TWO,)))
    assert render(pins) == LOCK
    assert render(parse("")) == ""


def test_order_and_repetition_make_no_difference() -> None:
    text = f"b==1 --hash=sha256:{TWO}\n\na==1 --hash=sha256:{TWO} --hash=sha256:{ONE}"
    again = f"a==1 \\\n --hash=sha256:{ONE} --hash=sha256:{TWO} --hash=sha256:{ONE} \nb==1 \\\n"
    assert render(parse(text)) == render(parse(f"{again} --hash=sha256:{TWO}\n"))


@pytest.mark.parametrize(
    "line",
    [
        "dep==1.0",
        "dep --hash=sha256:{h}",
        "dep>=1.0 --hash=sha256:{h}",
        "dep==1.* --hash=sha256:{h}",
        "dep==1.0 --hash=md5:{h}",
        "dep==1.0 --hash=sha256:{h}0",
        "dep==1.0 ; python_version > '3' --hash=sha256:{h}",
        "dep[extra]==1.0 --hash=sha256:{h}",
        "dep @ https://evil.example/dep-1.0-py3-none-any.whl --hash=sha256:{h}",
        "dep==1.0 --hash=sha256:{h} --index-url=https://evil.example/simple",
        "--index-url https://evil.example/simple",
        "-r /etc/passwd",
        "-e .",
        "/tmp/dep-1.0-py3-none-any.whl --hash=sha256:{h}",
        "Dep==1.0 --hash=sha256:{h}",
        "dep==one --hash=sha256:{h}",
        "dep==1.0\t--hash=sha256:{h}",
        "dep==1.0 --hash=sha256:{h}\r--index-url=x",
        "dep==1.0 --hash=sha256:{h}\u2028-r x",
        "# a comment",
        "dep==1.0 --hash=sha256:{h}\ndep==1.1 --hash=sha256:{h}",
    ],
)
def test_anything_else_is_refused(line: str) -> None:
    with pytest.raises(BadLock):
        parse(line.format(h=ONE))


def test_a_lock_without_end_is_refused_before_it_is_read() -> None:
    with pytest.raises(BadLock, match="at most"):
        parse(" " * (MAX_CHARACTERS + 1))
