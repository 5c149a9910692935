"""Versions as text sort like PEP 440 sorts them, in Python and in the database."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import InvalidVersion, Version

from registry.catalog.sorting import sort_key

RISING = [
    "0", "0.0.1", "0.9", "0.10", "0.99", "0.100", "1.dev0", "1.dev9", "1.dev10", "1.0a1.dev1",
    "1.0a1", "1.0a1.post1.dev2", "1.0a1.post1", "1.0a2", "1.0a10", "1.0b1", "1.0rc1.dev5",
    "1.0rc1", "1.0rc2", "1.0", "1.0.post1.dev1", "1.0.post1", "1.0.post2", "1.0.post10",
    "1.0.1.dev1", "1.0.1a1", "1.0.1", "1.1", "1.1.0.1", "1.2", "1.10", "2.0", "10.0",
    "2026.11.21", "20261121", "1!0.1", "1!1.0", "2!0", "10!0",
]  # fmt: skip


def test_each_version_sorts_before_the_next() -> None:
    for lower, higher in pairwise(RISING):
        assert Version(lower) < Version(higher)
        assert sort_key(lower) < sort_key(higher), (lower, higher)


@pytest.mark.parametrize(
    ("left", "right"),
    [("1", "1.0.0"), ("1.0", "v1.0.0.0"), ("1.0-1", "1.0.post1"), ("1c1", "1rc1")],
)
def test_equal_versions_have_one_key(left: str, right: str) -> None:
    assert sort_key(left) == sort_key(right)


PART = st.integers(0, 120)
VERSIONS = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["", "1!", "12!"]),
    st.lists(PART, min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts))),
    st.one_of(st.just(""), st.builds("{}{}".format, st.sampled_from(["a", "b", "rc"]), PART)),
    st.one_of(st.just(""), PART.map(".post{}".format)),
    st.one_of(st.just(""), PART.map(".dev{}".format)),
)


@given(VERSIONS, VERSIONS)
def test_any_two_versions_compare_like_their_keys(left: str, right: str) -> None:
    assert (Version(left) < Version(right)) == (sort_key(left) < sort_key(right))
    assert (Version(left) == Version(right)) == (sort_key(left) == sort_key(right))


def test_the_longest_version_fits_the_column_and_uses_digits_alone() -> None:
    longest = ".".join(["1"] * 40)
    numbers = [longest, "9" * 80, "1!" + longest[:71] + ".dev1", "1.0rc" + "9" * 75]
    for version in numbers:
        assert len(version) <= 80
        assert sort_key(version).isdigit()
        assert len(sort_key(version)) <= 400


def test_sort_key_refuses_an_invalid_version() -> None:
    with pytest.raises(InvalidVersion):
        sort_key("one")


@pytest.mark.django_db
def test_the_database_sorts_the_keys_alike() -> None:
    from registry.models import Tag

    keys = [sort_key(version) for version in RISING]
    short = {key[:40]: key for key in keys}
    assert len(short) == len(keys)
    Tag.objects.bulk_create([Tag(name=key) for key in reversed(list(short))])
    assert [
        short[name] for name in Tag.objects.order_by("name").values_list("name", flat=True)
    ] == (keys)
