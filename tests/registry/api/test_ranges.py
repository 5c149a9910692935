"""Byte ranges."""

import pytest

from registry.api.ranges import Unsatisfiable, wanted


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("", None),
        ("bytes=0-0", (0, 1)),
        ("bytes=2-5", (2, 6)),
        ("bytes=2-", (2, 10)),
        ("bytes=-3", (7, 10)),
        ("bytes=-30", (0, 10)),
        ("bytes=8-99", (8, 10)),
        ("Bytes = 1 - 2", (1, 3)),
        ("bytes=0-1,4-5", None),
        ("bytes=5-2", None),
        ("bytes=-", None),
        ("items=0-1", None),
        ("bytes=a-b", None),
    ],
)
def test_one_range_is_cut_to_the_size_and_the_rest_is_the_whole(
    header: str, part: tuple[int, int] | None
) -> None:
    assert wanted(header, 10) == part


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-12", "bytes=-0"])
def test_a_range_behind_the_end_cannot_be_satisfied(header: str) -> None:
    with pytest.raises(Unsatisfiable):
        wanted(header, 10)
